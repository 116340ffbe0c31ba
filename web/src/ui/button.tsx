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

interface ButtonProps extends Looks, Omit<AriaButtonProps, 'className' | 'isPending'> {
  /** What it does is under way: it keeps the focus and does nothing. Its text should say so. */
  isBusy?: boolean;
}

export function Button({ kind, wide, isBusy = false, onPress, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      {...(onPress && !isBusy && { onPress })}
      {...(isBusy && { 'data-busy': true })}
      className={classOf({ ...(kind && { kind }), ...(wide && { wide }) })}
    />
  );
}

/** A link that looks like a button. */
export function ButtonLink({ to, children, ...looks }: Looks & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classOf(looks)}>
      {children}
    </Link>
  );
}
