import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import type { ServiceSettings } from '../../../domain/context.ts';
import { pageOfSubject } from '../../../domain/notifications/pages.ts';
import { encryptMessage } from '../../../domain/push/encryption.ts';
import { destinationOf } from '../../../domain/push/subscriptions.ts';
import { vapidHeader } from '../../../domain/push/vapid.ts';
import { cutTo } from '../../../domain/text.ts';
import type { Send } from '../../../outbound/client.ts';
import { findOutboundError, isBusy } from '../../../outbound/errors.ts';
import type { Measure } from '../../runtime/metrics.ts';
import type { Handler } from '../queue/loop.ts';
import { type PushClaim, pushLeases, removeBrowser } from './claims.ts';

/** The pauses after each try but the last, in seconds. */
const pauses = [5, 60, 600, 3600];
/** Until a message is tried that found no place among the requests of this process. */
const busySeconds = 5;
/** For how long a push service keeps a message for a browser that is off, in seconds. */
const keptSeconds = 24 * 60 * 60;
/** Of title and text together far less than a message may have. */
const maxTextLength = 500;

export interface PushParts {
  db: Db;
  send: Send;
  log: Logger;
  service: Pick<ServiceSettings, 'publicUrl' | 'push'>;
}

export interface PushWorker {
  handle: Handler<PushClaim>;
  /** What /metrics shows of the messages of this process. */
  measures: Measure[];
}

/** What a browser shows. It replaces a message with the same tag; a press on it opens `url`. */
function messageOf(claim: PushClaim, publicUrl: string) {
  const { workspaceId, notificationId, kind, title, text } = claim;
  return {
    title,
    body: cutTo(text, maxTextLength),
    tag: notificationId,
    url: urlOf(claim, publicUrl),
    kind,
    workspaceId,
  };
}

/** The page of what it is about, with its workspace: the session of the browser may be in another one. */
function urlOf(claim: PushClaim, publicUrl: string): string {
  const page = new URL(pageOfSubject(publicUrl, claim) ?? `${publicUrl}/notifications`);
  page.searchParams.set('workspace', claim.workspaceId);
  return page.href;
}

/**
 * The status of an answer; null for none; `busy` when nothing was sent, because this process sends too much.
 * @throws the reason of the signal, an error that is none of the connection.
 */
async function statusOf(sending: ReturnType<Send>, signal: AbortSignal): Promise<number | null | 'busy'> {
  try {
    const response = await sending;
    await response.body?.cancel().catch(() => {});
    return response.status;
  } catch (error) {
    if (signal.aborted || !findOutboundError(error)) throw error;
    return isBusy(error) ? 'busy' : null;
  }
}

/**
 * Sends notifications to browsers: at least once, five times over about an hour at most. 404 and 410 remove the
 * browser, and so does an address that cannot be decrypted; what a push service refuses for another reason is not sent
 * again.
 */
export function pushWorker({ db, send, log, service }: PushParts): PushWorker {
  let [sent, failed] = [0, 0];
  const end = (claim: PushClaim) => pushLeases.remove(db, [claim]);

  const handle: Handler<PushClaim> = async (claim, { signal, wakeIn }) => {
    const { workspaceId, subscriptionId, attempt } = claim;
    if (!claim.isWanted) return end(claim);
    const { publicUrl, push } = service;
    const destination = destinationOf(claim.destination, push.key, workspaceId, subscriptionId);
    if (destination === null) return removeBrowser(db, claim);
    const { endpoint, keys } = destination;
    const message = messageOf(claim, publicUrl);
    const headers = {
      Authorization: vapidHeader(push.vapid, { endpoint, contact: publicUrl, now: Date.now() }),
      'Content-Encoding': 'aes128gcm',
      'Content-Type': 'application/octet-stream',
      TTL: String(keptSeconds),
      Urgency: 'high',
      // Of two that wait for a browser that is off, the newer one replaces the older one (RFC 8030 §5.4).
      Topic: hash('sha256', message.tag, 'base64url').slice(0, 32),
    };
    const body = encryptMessage(Buffer.from(JSON.stringify(message)), keys);
    const status = await statusOf(
      send(endpoint, { method: 'POST', headers, body: new Uint8Array(body), signal }),
      signal,
    );
    if (status === 'busy') {
      await pushLeases.handBack(db, claim, busySeconds);
      return wakeIn(busySeconds * 1000);
    }
    if (status !== null && status >= 200 && status <= 299) {
      sent += 1;
      return end(claim);
    }
    if (status === 404 || status === 410) return removeBrowser(db, claim);
    const pause = pauses[attempt - 1];
    const mayHelp = status === null || status === 429 || status >= 500;
    failed += 1;
    log.info({ workspaceId, subscription: subscriptionId, answer: status, attempt }, 'push message not accepted');
    if (!mayHelp || pause === undefined) return end(claim);
    await pushLeases.retry(db, claim, pause);
    wakeIn(pause * 1000);
  };

  const counter = (name: string, help: string, read: () => number) => ({ kind: 'counter' as const, name, help, read });
  return {
    handle,
    measures: [
      counter('tandem_pushes_sent_total', 'Push messages of this process that were accepted', () => sent),
      counter('tandem_pushes_failed_total', 'Push messages of this process that were not accepted', () => failed),
    ],
  };
}
