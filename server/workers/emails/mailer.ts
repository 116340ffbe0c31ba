import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SendMailOptions } from 'nodemailer';
import type { Logger } from 'pino';
import { atFirstUse } from '../../../domain/first-use.ts';
import type { Email, Mailer, QueuedEmail } from '../../../domain/mail.ts';

export interface MailSettings {
  SMTP_URL?: string | undefined;
  MAIL_FROM: string;
  DATA_DIR: string;
}

/** Sends emails. */
export interface EmailSender extends Mailer {
  /** Resolves when every email posted so far was sent or failed. */
  idle(): Promise<void>;
  /** Sends an email that is stored elsewhere until this resolves, within a minute. @throws the error of the mail server. */
  send(email: QueuedEmail): Promise<void>;
}

const timeoutMs = 60_000;

/** An email as it is sent. */
type Sent = Omit<Email, 'kind'> & SendMailOptions;

/** Where a `Message-ID` is from: the domain of the sender (RFC 5322 §3.6.4). */
function domainOf(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'tandem.invalid';
}

/** The headers of a stored email (RFC 2369, RFC 3834). */
function envelopeOf({ id, unsubscribeUrl, to, subject, text }: QueuedEmail, from: string): Sent {
  return {
    ...{ to, subject, text },
    messageId: `<${id}@${domainOf(from)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl !== undefined && { 'List-Unsubscribe': `<${unsubscribeUrl}>` }),
    },
  };
}

function senderOf(config: MailSettings): (email: Sent) => Promise<unknown> {
  if (config.SMTP_URL === undefined) {
    const outbox = join(config.DATA_DIR, 'outbox.jsonl');
    return async (email) => {
      await mkdir(config.DATA_DIR, { recursive: true });
      await appendFile(outbox, `${JSON.stringify({ ...email, at: new Date().toISOString() })}\n`, { mode: 0o600 });
    };
  }
  const { protocol, hostname, port, username, password } = new URL(config.SMTP_URL);
  const secure = protocol === 'smtps:';
  const settings = {
    host: hostname,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  };
  const transport = atFirstUse(async () => (await import('nodemailer')).createTransport(settings));
  return async (email) => (await transport()).sendMail({ from: config.MAIL_FROM, ...email });
}

/**
 * Sends emails by SMTP where `SMTP_URL` is set, else writes them to `DATA_DIR/outbox.jsonl`, one JSON object a line. The
 * log shows that an email was sent and its kind, nothing else of it.
 */
export function createMailer(config: MailSettings, log: Logger): EmailSender {
  const send = senderOf(config);
  const inProgress = new Set<Promise<void>>();
  const by = config.SMTP_URL === undefined ? 'outbox file' : 'SMTP';
  return {
    sends: config.SMTP_URL !== undefined,
    send: async (email) => {
      const done = new AbortController();
      const late = setTimeout(timeoutMs, undefined, { signal: done.signal, ref: false }).then(() => {
        throw new Error('The mail server took longer than a minute');
      });
      late.catch(() => {});
      const sent = send(envelopeOf(email, config.MAIL_FROM));
      await Promise.race([sent, late]).finally(() => done.abort());
      log.info({ notification: email.id, by }, 'email sent');
    },
    post: ({ kind, to, subject, text }) => {
      const sending = send({ to, subject, text }).then(
        () => log.info({ kind, by }, 'email sent'),
        (error: unknown) => log.error({ err: error, kind }, 'email not sent'),
      );
      inProgress.add(sending);
      void sending.finally(() => inProgress.delete(sending));
    },
    failed: (error) => log.error({ err: error }, 'email not written'),
    idle: async () => {
      await Promise.all(inProgress);
    },
  };
}
