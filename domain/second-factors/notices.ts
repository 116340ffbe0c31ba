import type { Db } from '../../db/client.ts';
import type { RequestContext } from '../context.ts';
import { queueSecurityNotice, quotedInNotice } from '../notifications/security-notice.ts';

/** A reset of the password, which every notice names, is not enough here. */
const staysAfterReset = 'If it was not you, remove it in the security settings: a new password does not remove it.';

/**
 * What a person is informed of when a second factor changes or is attacked. `about`: the name of a passkey, or a count.
 */
const notices = {
  totp_added: () => ({
    title: 'An authenticator app was added to your account',
    text: `Signing in with your password asks for its code from now on. ${staysAfterReset}`,
  }),
  totp_removed: () => ({
    title: 'The authenticator app of your account was removed',
    text: 'Its codes are no longer accepted.',
  }),
  passkey_added: (name: string) => ({
    title: 'A passkey was added to your account',
    text: `The passkey ${quotedInNotice(name)} can sign in to your account from now on. ${staysAfterReset}`,
  }),
  passkey_removed: (name: string) => ({
    title: 'A passkey of your account was deleted',
    text: `The passkey ${quotedInNotice(name)} can no longer sign in.`,
  }),
  recovery_codes_replaced: () => ({
    title: 'The recovery codes of your account were replaced',
    text: 'There are ten new ones. The old ones are no longer accepted.',
  }),
  recovery_code_used: (left: string) => ({
    title: 'A recovery code was used to sign in to your account',
    text: `Unused recovery codes: ${left}. You can replace them in the security settings.`,
  }),
  second_factor_refused: () => ({
    title: 'Sign-ins to your account were stopped at the second factor',
    text: 'Somebody entered your password, then too many wrong codes. They are not signed in, but they know your password.',
  }),
};

/**
 * Queues the email that informs a person of a change of their second factors (ASVS 5.0, 6.3.5 and 6.3.7). `tx` is the
 * transaction of the change.
 */
export function queueFactorNotice(
  { clock, mail }: Pick<RequestContext, 'clock' | 'mail'>,
  tx: Db,
  userId: string,
  notice: keyof typeof notices,
  about = '',
): Promise<void> {
  return queueSecurityNotice({ db: tx, clock, mail }, { userId, ...notices[notice](about) });
}
