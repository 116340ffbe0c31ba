import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import type { Measure } from '../../runtime/metrics.ts';
import type { Handler } from '../queue/loop.ts';
import { type ClaimedEmail, endEmail, maxTries, retryEmail } from './claims.ts';
import { emailOf } from './email.ts';
import { type EmailSender, isRefusal } from './mailer.ts';

export interface EmailParts {
  db: Db;
  sender: Pick<EmailSender, 'send'>;
  log: Logger;
  /** Its address stands in the emails. */
  service: { publicUrl: string };
}

export interface EmailWorker {
  handle: Handler<ClaimedEmail>;
  /** What /metrics shows of the emails of this process. */
  measures: Measure[];
}

/**
 * Sends the emails of notifications, five times over about two and a half hours at most. When a process dies after
 * sending an email and before saving that, another one sends it again after two minutes, as the same message
 * (`Message-ID`), and counts it as a try.
 */
export function emailWorker({ db, sender, log, service }: EmailParts): EmailWorker {
  let [sent, failed] = [0, 0];

  const fail = (email: ClaimedEmail) => {
    failed += 1;
    return endEmail(db, email, 'failed');
  };

  const handle = async (email: ClaimedEmail): Promise<void> => {
    const { id, attempt, kind } = email;
    if (!email.isWanted) return endEmail(db, email, 'suppressed');
    if (email.isStale || attempt > maxTries) return fail(email);
    const error = await sender.send(emailOf(email, service.publicUrl)).then(
      () => undefined,
      (reason: unknown) => reason ?? new Error('no reason given'),
    );
    if (error === undefined) {
      sent += 1;
      return endEmail(db, email, 'sent');
    }
    const isLast = attempt === maxTries || isRefusal(error);
    const message = isLast ? 'email failed for good' : 'email not sent, will retry';
    log.warn({ err: error, notification: id, kind, attempt }, message);
    return isLast ? fail(email) : retryEmail(db, email);
  };

  const counter = (name: string, help: string, read: () => number) => ({ kind: 'counter' as const, name, help, read });
  return {
    handle,
    measures: [
      counter('tandem_emails_sent_total', 'Emails of notifications that this process sent', () => sent),
      counter('tandem_emails_failed_total', 'Emails of notifications that failed for good', () => failed),
    ],
  };
}
