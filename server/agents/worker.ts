import type { Logger } from 'pino';
import { v7 as newId } from 'uuid';
import { endsTransaction } from '../../db/trouble.ts';
import { claimTurn, leaseSeconds, releaseTurn, renewLease } from '../../routers/chats/claims.ts';
import { type Claim, LostTurn, saveFailure } from '../../routers/chats/steps.ts';
import type { TurnRef } from '../../routers/jobs.ts';
import { Turn, type TurnParts } from './turns.ts';

/** The time of an attempt without end: claims of one turn, most of them because workers died on it. */
const mostAttempts = 200;

async function giveUp(claim: Claim, { context }: TurnParts, errorMessage: string): Promise<void> {
  const ending = { outcome: 'failed' as const, errorMessage };
  await context.db.transaction((db) => saveFailure({ ...context, db }, claim, ending, 0));
}

/**
 * Works on turns: claims one, keeps its lease alive, and stops within a second of it being cancelled on any process.
 * What it throws is the queue's to try again.
 */
export function turnWorker(parts: TurnParts): (ref: TurnRef, stopping: AbortSignal) => Promise<void> {
  const workerId = newId();
  const { context, log } = parts;

  async function attempt(claim: Claim, stopping: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, stopping]);
    const check = () =>
      renewLease(context.db, claim).then(
        (ours) => ours || lost.abort(new LostTurn()),
        (error: unknown) => log.warn({ err: error, turnId: claim.turnId }, 'the lease of a turn could not be renewed'),
      );
    const unsubscribe = context.live.subscribe(claim.chatId, ({ kind }) => {
      if (kind === 'status' || kind === 'resync') void check();
    });
    const beat = setInterval(check, (leaseSeconds * 1000) / 4);
    try {
      if (claim.attempt > mostAttempts) await giveUp(claim, parts, 'The turn was begun too often without an end.');
      else await new Turn(claim, parts, signal).run();
    } catch (error) {
      if (error instanceof LostTurn || lost.signal.aborted) return;
      if (stopping.aborted) return await releaseTurn(context, claim);
      await failed(claim, parts, log, error);
    } finally {
      clearInterval(beat);
      unsubscribe();
    }
  }

  return async (ref, stopping) => {
    const claim = await claimTurn(context, ref, workerId);
    if (claim) await attempt(claim, stopping);
  };
}

/** What nobody expected. A database in trouble leaves the turn to the next worker; anything else ends it. */
async function failed(claim: Claim, parts: TurnParts, log: Logger, error: unknown): Promise<void> {
  log.error({ err: error, turnId: claim.turnId }, 'a turn failed');
  if (endsTransaction(error)) return;
  await giveUp(
    claim,
    parts,
    'Something went wrong on our side. Send the message again; if it goes on, tell the operator.',
  ).catch((second: unknown) => {
    if (!(second instanceof LostTurn))
      log.error({ err: second, turnId: claim.turnId }, 'a failed turn could not be ended');
  });
}
