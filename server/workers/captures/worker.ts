import { type CaptureClaim, retryStep } from '../../../domain/captures/processing/claims.ts';
import { save, setFailed } from '../../../domain/captures/processing/saves.ts';
import type { CaptureStep } from '../../../domain/captures/work.ts';
import { LostLease } from '../../../domain/jobs.ts';
import type { Handler } from '../queue/loop.ts';
import { assembleStep } from './assemble.ts';
import { digestStep } from './digest.ts';
import { type CaptureFacts, captureFacts } from './facts.ts';
import { faultFacts, fruitless, isFault } from './fault.ts';
import { captureLeases } from './leases.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';
import { transcribeStep } from './transcribe.ts';

/** Tries of one step; after the last one the capture fails (CONTRACT §7). */
const maxTries = 3;

/** Claims of one step that saved nothing: a step that ends the process must not end every process forever. */
const maxFruitless = 12;

type Step = (
  parts: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
  isTurn: () => boolean,
) => Promise<StepOutcome>;

const steps: Record<CaptureStep, Step> = {
  assemble: assembleStep,
  transcribe: transcribeStep,
  digest: digestStep,
};

/**
 * Processes captures, step after step, until nothing is left to do, or until others shall have their turn: a few long
 * recordings would take all places for hours.
 */
export function captureHandler(parts: CaptureParts): Handler<CaptureClaim> {
  const { ctx, log, pauses = [2_000, 10_000], turnMs = 20_000 } = parts;

  /** Saves what a fault means; returns the milliseconds until the step is tried again, or null. */
  async function afterFault(
    claim: CaptureClaim,
    { step, tries }: CaptureFacts,
    error: unknown,
  ): Promise<number | null> {
    const { failure, again, retryAfterMs } = faultFacts(error);
    log.warn({ err: error, captureId: claim.captureId, step, tries: tries + 1 }, 'capture step failed');
    if (again && tries + 1 < maxTries) {
      const pauseMs = Math.max(retryAfterMs ?? 0, pauses[tries] ?? 0);
      await retryStep(ctx.db, claim, pauseMs);
      return pauseMs;
    }
    await save(ctx, claim, 0, (db) => setFailed(db, claim, failure));
    return null;
  }

  return async (claim, { signal, wakeIn }) => {
    const until = performance.now() + turnMs;
    const isTurn = () => performance.now() < until;
    for (let outcome: StepOutcome = 'next'; outcome === 'next'; ) {
      signal.throwIfAborted();
      const facts = await captureFacts(ctx.db, claim);
      if (!facts) throw new LostLease();
      try {
        if (facts.claims > maxFruitless) throw fruitless();
        outcome = await steps[facts.step](parts, claim, facts, signal, isTurn);
      } catch (error) {
        if (signal.aborted || !isFault(error)) throw error;
        const pauseMs = await afterFault(claim, facts, error);
        if (pauseMs !== null) wakeIn(pauseMs);
        return;
      }
      if (outcome === 'next' && !isTurn()) return captureLeases.handBack(ctx.db, claim);
    }
  };
}
