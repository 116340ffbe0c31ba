/**
 * Whether the driver reads the text as the address of a mail server: a `#` or `/` in a password, for example, would end
 * what is before it.
 */
export function isMailUrl(text: string): boolean {
  try {
    const { hostname, username, password, pathname, search, hash } = new URL(text);
    decodeURIComponent(username + password);
    return hostname !== '' && !`${pathname}${search}${hash}`.includes('@') && hash === '';
  } catch {
    return false;
  }
}

/** The default, which only a mail server on the same machine takes. */
export const localSender = 'Tandem <tandem@localhost>';

const isOnThisMachine = (url: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(new URL(url).hostname);

/** What is wrong with the sender beside the address of the mail server. */
export function mailFaults({ SMTP_URL, MAIL_FROM }: { SMTP_URL?: string | undefined; MAIL_FROM: string }) {
  const isRefusedElsewhere = /@localhost>?\s*$/i.test(MAIL_FROM);
  if (!SMTP_URL || !isMailUrl(SMTP_URL) || isOnThisMachine(SMTP_URL) || !isRefusedElsewhere) return [];
  const message =
    'must be an address that the mail server of SMTP_URL sends for, such as Tandem <tandem@example.com>; mail from localhost is refused by most';
  return [{ setting: 'MAIL_FROM', message }];
}
