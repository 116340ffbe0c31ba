import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LostLease } from '../../../domain/jobs.ts';
import type { NotifyContext } from '../../../domain/notifications/notify.ts';
import { giveBackEndpoint, saveAttempt } from '../../../domain/webhooks/attempts.ts';
import { endClaimedSubscription } from '../../../domain/webhooks/ending.ts';
import { signedHeaders } from '../../../domain/webhooks/secrets.ts';
import {
  bodyOf,
  type Ended,
  type EndpointClaim,
  returnDelivery,
  type Taken,
  takeDelivery,
} from '../../../domain/webhooks/sending.ts';
import { subscriptionHeader, terminationMessage } from '../../../domain/webhooks/subscription-rows.ts';
import type { Send } from '../../../outbound/client.ts';
import { isBusy } from '../../../outbound/errors.ts';
import type { Measure } from '../../runtime/metrics.ts';
import type { Handler } from '../queue/loop.ts';
import { attemptOf, unsentAttempt } from './request.ts';
import { verdictOf } from './retries.ts';

/** Endpoints that a process sends to at a time, and requests at a time to one of them. */
export const endpointsAtATime = 32;
/** Of these, those of one workspace: others get their turn however slow its receivers are. */
export const endpointsPerWorkspace = endpointsAtATime / 2;
const requestsPerEndpoint = 4;
export const maxRequests = endpointsAtATime * requestsPerEndpoint;
/** An endpoint is given back after so long, so that others get their turn. */
const turnMs = 5000;
/** Why nothing was sent to an endpoint whose secret cannot be decrypted. */
const unreadableSecret = 'the secret cannot be decrypted: rotate it';
/** How often a new delivery is looked for beside requests that have no answer yet. */
const lookMs = 500;

export interface WebhookParts extends NotifyContext {
  send: Send;
  log: Logger;
  /** Decrypts the secrets of endpoints. */
  key: KeyObject;
}

export interface WebhookWorker {
  handle: Handler<EndpointClaim>;
  /** What /metrics shows of the webhooks of this process. */
  measures: Measure[];
}

/**
 * Sends what is due to an endpoint, several requests at a time, or one after the other where it is ordered. When a
 * process dies between an answer and its note, another one sends the same event again, with the same `webhook-id`.
 */
export function webhookWorker(parts: WebhookParts): WebhookWorker {
  const { send, log, key } = parts;
  let [delivered, failed] = [0, 0];

  /** What found no place in this process was no try, and says nothing of the receiver. */
  const notTried = (claim: EndpointClaim, taken: Taken) => async (error: unknown) => {
    if (isBusy(error)) await returnDelivery(parts.db, claim, taken);
    throw error;
  };

  /** Tries a delivery, and saves what came of it. */
  const deliver = async (claim: EndpointClaim, taken: Taken, signal: AbortSignal) => {
    const body = await bodyOf(parts.db, claim, taken);
    if (body === null) {
      await saveAttempt(parts, claim, taken, null, () => ({ status: 'cancelled', pause: null, disable: null }));
      return;
    }
    const at = Math.floor(parts.clock().getTime() / 1000);
    const signed = signedHeaders({ id: taken.eventId, at, body }, taken.secrets, key, claim);
    const headers = { ...signed, ...(taken.isSubscription && subscriptionHeader(claim.endpointId)) };
    const request = { url: taken.url, headers, body };
    const sent = signed && attemptOf(send, request, signal).catch(notTried(claim, taken));
    const attempt = await (sent ?? unsentAttempt(request, unreadableSecret));
    const judge = (failures: Parameters<typeof verdictOf>[2]) =>
      verdictOf(attempt, taken.tries, failures, taken.isSubscription);
    const { status } = await saveAttempt(parts, claim, taken, attempt, judge);
    if (status === 'delivered') {
      delivered += 1;
      return;
    }
    failed += 1;
    const { workspaceId, endpointId } = claim;
    const why = { answer: attempt.status, error: attempt.error, tries: taken.tries, status };
    log.info({ workspaceId, endpointId, delivery: taken.deliveryId, ...why }, 'webhook not delivered');
  };

  /** Ends a subscription; its address is notified once, unless its time was over. */
  const terminate = async (claim: EndpointClaim, { url, secrets, isExpired }: Ended, signal: AbortSignal) => {
    const { id, body } = terminationMessage();
    const at = Math.floor(parts.clock().getTime() / 1000);
    const signed = isExpired ? null : signedHeaders({ id, at, body }, secrets, key, claim);
    if (signed) {
      await attemptOf(send, { url, headers: { ...signed, ...subscriptionHeader(claim.endpointId) }, body }, signal);
    }
    await endClaimedSubscription(parts.db, claim);
  };

  const handle: Handler<EndpointClaim> = async (claim, { signal }) => {
    const until = performance.now() + turnMs;
    const limit = claim.ordered ? 1 : requestsPerEndpoint;
    const inProgress = new Map<string, { since: number; ending: Promise<void> }>();
    let failure: { error: unknown } | undefined;
    const begin = (taken: Taken) => {
      const ending = deliver(claim, taken, signal)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => inProgress.delete(taken.deliveryId));
      inProgress.set(taken.deliveryId, { since: performance.now(), ending });
    };
    /**
     * A request of this turn that has no answer yet holds the endpoint's place anyway: others may continue beside it.
     */
    const isTurn = () => performance.now() < until || [...inProgress.values()].some(({ since }) => since < until);
    for (;;) {
      const mayBegin = !failure && !signal.aborted && inProgress.size < limit && isTurn();
      const taken = mayBegin ? await takeDelivery(parts, claim, [...inProgress.keys()]) : null;
      if (taken && 'isExpired' in taken) {
        await terminate(claim, taken, signal);
        throw new LostLease();
      }
      if (taken) begin(taken);
      else if (inProgress.size === 0) break;
      else
        await Promise.race([
          ...[...inProgress.values()].map(({ ending }) => ending),
          sleep(lookMs, null, { ref: false }),
        ]);
    }
    if (failure) throw failure.error;
    signal.throwIfAborted();
    await giveBackEndpoint(parts.db, claim);
  };

  const counter = (name: string, help: string, read: () => number) => ({ kind: 'counter' as const, name, help, read });
  return {
    handle,
    measures: [
      counter(
        'tandem_webhooks_delivered_total',
        'Webhook requests of this process that were accepted',
        () => delivered,
      ),
      counter('tandem_webhooks_failed_total', 'Webhook requests of this process that were not accepted', () => failed),
    ],
  };
}
