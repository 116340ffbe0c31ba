import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Logger } from 'pino';
import type { KeptLetter, Letter, Mailer } from '../routers/mail.ts';
import type { Config } from './config.ts';

/** A mailer whose letters under way can be waited for at shutdown. */
export interface PostOffice extends Mailer {
  /** Resolves when every letter posted so far went out or failed. */
  idle(): Promise<void>;
  /** Sends a letter that is kept elsewhere until this resolves, within a minute. @throws what the mail server said. */
  send(letter: KeptLetter): Promise<void>;
}

const patienceMs = 60_000;

/** Where a `Message-ID` is from: the domain of the sender (RFC 5322 §3.6.4). */
function domainOf(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'tandem.invalid';
}

/** What a kept letter tells mail servers and programs besides its text (RFC 2369, RFC 3834). */
function envelopeOf({ id, unsubscribeUrl, ...letter }: KeptLetter, from: string): SendMailOptions {
  return {
    ...letter,
    messageId: `<${id}@${domainOf(from)}>`,
    headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'Auto-Submitted': 'auto-generated' },
  };
}

function senderOf(config: Config): (letter: Letter & SendMailOptions) => Promise<unknown> {
  if (config.SMTP_URL === undefined) {
    const outbox = join(config.DATA_DIR, 'outbox.jsonl');
    return async (letter) => {
      await mkdir(config.DATA_DIR, { recursive: true });
      await appendFile(outbox, `${JSON.stringify({ ...letter, at: new Date().toISOString() })}\n`, { mode: 0o600 });
    };
  }
  const { protocol, hostname, port, username, password } = new URL(config.SMTP_URL);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  });
  return (letter) => transport.sendMail({ from: config.MAIL_FROM, ...letter });
}

/**
 * Sends letters by SMTP where `SMTP_URL` is set, else writes them to `DATA_DIR/outbox.jsonl`, one JSON object a line.
 * The log tells that a letter went out, never what it says.
 */
export function createMailer(config: Config, log: Logger): PostOffice {
  const send = senderOf(config);
  const underWay = new Set<Promise<void>>();
  const by = config.SMTP_URL === undefined ? 'the outbox file' : 'SMTP';
  return {
    sends: config.SMTP_URL !== undefined,
    send: async (letter) => {
      const done = new AbortController();
      const late = setTimeout(patienceMs, undefined, { signal: done.signal, ref: false }).then(() => {
        throw new Error('The mail server took longer than a minute');
      });
      late.catch(() => {});
      const { to, subject, text } = letter;
      const sent = send({ ...envelopeOf(letter, config.MAIL_FROM), to, subject, text });
      await Promise.race([sent, late]).finally(() => done.abort());
      log.info({ notification: letter.id }, `a letter went out by ${by}`);
    },
    post: (letter) => {
      const sending = send(letter).then(
        () => log.info({ subject: letter.subject }, `a letter went out by ${by}`),
        (error: unknown) => log.error({ err: error, subject: letter.subject }, 'a letter could not be sent'),
      );
      underWay.add(sending);
      void sending.finally(() => underWay.delete(sending));
    },
    failed: (error) => log.error({ err: error }, 'a letter could not be written'),
    idle: async () => {
      await Promise.all(underWay);
    },
  };
}
