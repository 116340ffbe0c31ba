import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import type { PostOffice } from '../mail.ts';
import type { Measure } from '../metrics.ts';
import { type ClaimedLetter, claimLetter, endLetter, putBack, tries } from './claims.ts';
import { letterOf } from './letter.ts';

/** Letters under way at a time, on one process. */
const lanes = 4;

export interface LetterParts {
  db: Db;
  post: Pick<PostOffice, 'send'>;
  log: Logger;
  /** Its address stands in the letters. */
  service: { publicUrl: string };
}

export interface LetterWorker {
  /** Letters of this process that went out, and that failed for good. */
  readonly sent: number;
  readonly failed: number;
  /** Sends what is due; resolves when nothing is. @throws what the database throws. */
  run(): Promise<void>;
  /** Takes no more letters; those under way are finished by `run`. */
  stop(): void;
}

/** Whether the mail server said of the recipient that trying again is of no use (RFC 5321 §4.2.1). */
function isRefusal(error: unknown): boolean {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number };
  return command === 'RCPT TO' && responseCode >= 550 && responseCode <= 553;
}

/** What /metrics tells of the letters of this process. */
export function letterMeasures(letters: Pick<LetterWorker, 'sent' | 'failed'>): Measure[] {
  const counter = (name: string, help: string, read: () => number) => ({ kind: 'counter' as const, name, help, read });
  return [
    counter('tandem_letters_sent_total', 'Letters of notifications that this process sent', () => letters.sent),
    counter('tandem_letters_failed_total', 'Letters of notifications that failed for good', () => letters.failed),
  ];
}

/**
 * Sends the letters of notifications, which are rows of the database until they went out. A letter is tried five times,
 * over about two and a half hours. A process that dies between the sending and the note of it costs one letter too many:
 * another one sends it again after two minutes, as the same message (`Message-ID`), and counts it as a try.
 */
export function letterWorker({ db, post, log, service }: LetterParts): LetterWorker {
  let stopped = false;
  let [sent, failed] = [0, 0];

  const fail = (letter: ClaimedLetter) => {
    failed += 1;
    return endLetter(db, letter, 'failed');
  };

  const send = async (letter: ClaimedLetter): Promise<void> => {
    const { id, attempt, kind } = letter;
    if (!letter.isWanted) return endLetter(db, letter, 'suppressed');
    if (letter.isStale || attempt > tries) return fail(letter);
    const error = await post.send(letterOf(letter, service.publicUrl)).then(
      () => undefined,
      (reason: unknown) => reason ?? new Error('no reason given'),
    );
    if (error === undefined) {
      sent += 1;
      return endLetter(db, letter, 'sent');
    }
    const isLast = attempt === tries || isRefusal(error);
    const told = isLast ? 'a letter failed for good' : 'a letter could not be sent; it is tried again';
    log.warn({ err: error, notification: id, kind, attempt }, told);
    return isLast ? fail(letter) : putBack(db, letter);
  };

  const lane = async (): Promise<void> => {
    while (!stopped) {
      const letter = await claimLetter(db);
      if (!letter) return;
      await send(letter);
    }
  };

  return {
    get sent() {
      return sent;
    },
    get failed() {
      return failed;
    },
    run: async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: lanes }, lane));
      const fault = outcomes.find((each) => each.status === 'rejected');
      if (fault) throw fault.reason;
    },
    stop: () => {
      stopped = true;
    },
  };
}
