import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link } from 'react-router';

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'danger-quiet';

interface Looks {
  kind?: Kind;
  /** As wide as what surrounds it. */
  wide?: boolean;
}

function classOf({ kind = 'secondary', wide = false }: Looks): string {
  return `button ${kind}${wide ? ' wide' : ''}`;
}

export function Button({ kind, wide, ...props }: Looks & Omit<AriaButtonProps, 'className'>) {
  return <AriaButton {...props} className={classOf({ ...(kind && { kind }), ...(wide && { wide }) })} />;
}

/** A link that looks like a button. */
export function ButtonLink({ to, children, ...looks }: Looks & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classOf(looks)}>
      {children}
    </Link>
  );
}
