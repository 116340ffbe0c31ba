import { endsTransaction } from '../../../db/errors.ts';
import { LostLease } from '../../../domain/jobs.ts';
import { beginTurn } from '../../../domain/turns/begin.ts';
import { type Claim, saveFailure } from '../../../domain/turns/steps.ts';
import type { Handler } from '../queue/loop.ts';
import { Fitting } from './fitting.ts';
import { turnLeases } from './leases.ts';
import type { TurnParts } from './parts.ts';
import { Turn } from './turns.ts';

/** Claims of a turn that saved nothing: a turn that ends the process must not end every process forever. */
const maxFruitless = 25;

async function fail(claim: Claim, { context }: TurnParts, errorMessage: string): Promise<void> {
  const ending = { outcome: 'failed' as const, errorMessage };
  await context.db.transaction((db) => saveFailure({ ...context, db }, claim, ending, 0));
}

/** Ends a turn after an unexpected error. After one of the database the turn is tried again. */
async function failUnexpectedly(claim: Claim, parts: TurnParts, error: unknown): Promise<void> {
  if (endsTransaction(error)) throw error;
  parts.log.error({ err: error, turnId: claim.turnId }, 'turn failed');
  const message = 'Something went wrong on our side. Send the message again; if it goes on, tell the operator.';
  await fail(claim, parts, message);
}

/**
 * Works on turns. Their signal is aborted within a second of their being cancelled on any process. Between two steps a
 * turn is handed back when those of other workspaces wait: a few chats of one would take all places for half an hour.
 */
export function turnHandler(parts: TurnParts): Handler<Claim> {
  const { live, db } = parts.context;
  const fitting = new Fitting();

  async function run(claim: Claim, signal: AbortSignal): Promise<void> {
    if (claim.claims > maxFruitless) return fail(claim, parts, 'The turn was begun too often without an end.');
    if (!claim.hasBegun && !(await beginTurn(parts.context, claim))) return;
    const { placeMs = 20_000 } = parts.limits;
    const until = performance.now() + placeMs;
    const givesWay = async () => performance.now() >= until && turnLeases.othersWait(db, claim.workspaceId);
    try {
      if (!(await new Turn(claim, parts, signal, fitting).run(givesWay))) await turnLeases.handBack(db, claim);
    } catch (error) {
      if (error instanceof LostLease || signal.aborted) throw error;
      await failUnexpectedly(claim, parts, error);
    }
  }

  return async (claim, { signal, check }) => {
    const unsubscribe = live.subscribe(claim.chatId, ({ kind }) => {
      if (kind === 'status' || kind === 'resync') check();
    });
    try {
      await run(claim, signal);
    } finally {
      unsubscribe();
    }
  };
}
