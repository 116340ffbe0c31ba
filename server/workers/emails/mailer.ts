import { setMaxListeners } from 'node:events';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SendMailOptions } from 'nodemailer';
import type { Logger } from 'pino';
import { v7 as newId } from 'uuid';
import { atFirstUse } from '../../../domain/first-use.ts';
import type { Email, Mailer, QueuedEmail } from '../../../domain/mail.ts';

export interface MailSettings {
  SMTP_URL?: string | undefined;
  MAIL_FROM: string;
  DATA_DIR: string;
}

/** Sends emails. */
export interface EmailSender extends Mailer {
  /**
   * Before the process ends: resolves when no posted email is being sent. Those that wait for another try are lost, and
   * logged.
   */
  idle(): Promise<void>;
  /**
   * Sends an email that is stored elsewhere until this resolves, within a minute. @throws the error of the mail server.
   */
  send(email: QueuedEmail): Promise<void>;
}

const timeoutMs = 60_000;

/** Pauses before the further tries of a posted email, which is in memory alone: its link stands nowhere else. */
const retryPausesMs = [5_000, 30_000, 120_000, 600_000];
/** Posted emails that wait for another try at most. */
const maxWaiting = 1000;

/** Whether the mail server refused the recipient for good (RFC 5321 §4.2.1). */
export function isRefusal(error: unknown): boolean {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number };
  return command === 'RCPT TO' && responseCode >= 550 && responseCode <= 553;
}

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
    // An IPv6 address is in brackets only within a URL.
    host: hostname.replace(/^\[|\]$/g, ''),
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
 * Sends emails by SMTP where `SMTP_URL` is set, else writes them to `DATA_DIR/outbox.jsonl`, one JSON object a line.
 * The log shows that an email was sent and its kind, nothing else of it. A posted email that fails is tried again four
 * times, within a quarter of an hour.
 */
export function createMailer(config: MailSettings, log: Logger, pausesMs = retryPausesMs): EmailSender {
  const send = senderOf(config);
  const inProgress = new Set<Promise<void>>();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  let waiting = 0;
  const by = config.SMTP_URL === undefined ? 'outbox file' : 'SMTP';
  const tryAgain = async ({ kind, to, subject, text }: Email): Promise<void> => {
    // The same at every try, so that mail servers can drop a second copy.
    const messageId = config.SMTP_URL === undefined ? {} : { messageId: `<${newId()}@${domainOf(config.MAIL_FROM)}>` };
    for (let tries = 0; ; tries++) {
      const error = await send({ to, subject, text, ...messageId }).then(
        () => undefined,
        (reason: unknown) => reason ?? new Error('no reason given'),
      );
      if (error === undefined) return log.info({ kind, by }, 'email sent');
      const pause = isRefusal(error) || waiting >= maxWaiting ? undefined : pausesMs[tries];
      if (pause === undefined) return log.error({ err: error, kind }, 'email not sent');
      log.warn({ err: error, kind }, 'email not sent, will retry');
      waiting += 1;
      await setTimeout(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      waiting -= 1;
      if (stopping.signal.aborted) return log.error({ kind }, 'email lost, the process ends');
    }
  };
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
    post: (email) => {
      const sending = tryAgain(email);
      inProgress.add(sending);
      void sending.finally(() => inProgress.delete(sending));
    },
    failed: (error) => log.error({ err: error }, 'email not written'),
    idle: async () => {
      stopping.abort();
      await Promise.all(inProgress);
    },
  };
}
