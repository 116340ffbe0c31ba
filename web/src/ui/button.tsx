import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link } from 'react-router';

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'danger-quiet';

interface Looks {
  kind?: Kind;
  /** Full width. */
  wide?: boolean;
}

function buttonClass({ kind = 'secondary', wide = false }: Looks): string {
  return `button ${kind}${wide ? ' wide' : ''}`;
}

interface ButtonProps
  extends Looks,
    Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label' | 'aria-expanded' | 'aria-haspopup' | 'title'> {
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
  type?: 'button' | 'submit';
  autoFocus?: boolean;
  isDisabled?: boolean;
  /** Its action is running: it keeps the focus and ignores presses. Show this in its text. */
  isBusy?: boolean;
  onPress?: () => void;
}

/** A button. */
export function Button({ kind, wide, type = 'button', isDisabled, isBusy = false, onPress, ...props }: ButtonProps) {
  return (
    <button
      {...props}
      type={type}
      disabled={isDisabled}
      onClick={() => !isBusy && onPress?.()}
      {...(isBusy && { 'data-busy': true, 'aria-disabled': true })}
      className={buttonClass({ ...(kind && { kind }), ...(wide && { wide }) })}
    />
  );
}

/** A link that looks like a button. */
export function ButtonLink({ to, children, ...looks }: Looks & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={buttonClass(looks)}>
      {children}
    </Link>
  );
}
