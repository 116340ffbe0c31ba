import { v7 as newId } from 'uuid';
import {
  type CaptureClaim,
  claimCapture,
  LostCapture,
  leaseSeconds,
  renewCapture,
  returnCapture,
} from '../../../routers/captures/processing/claims.ts';
import { save, setFailed } from '../../../routers/captures/processing/saves.ts';
import type { CaptureStep } from '../../../routers/captures/work.ts';
import type { CaptureRef } from '../../../routers/jobs.ts';
import { assembleStep } from './assemble.ts';
import { digestStep } from './digest.ts';
import { type CaptureFacts, captureFacts } from './facts.ts';
import { faultFacts, fruitless, isFault } from './fault.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';
import { transcribeStep } from './transcribe.ts';

/** Faults of one step, with which it is given up (CONTRACT §7). */
const mostTries = 3;

/** Claims of one step that saved nothing: one on which processes die must not bring them all down for ever. */
const mostFruitless = 12;

type Step = (
  parts: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
) => Promise<StepOutcome>;

const steps: Record<CaptureStep, Step> = {
  assemble: assembleStep,
  transcribe: transcribeStep,
  digest: digestStep,
};

/**
 * Works on captures: claims one, keeps its lease alive, and takes step after step until nothing is left. What it throws
 * is the queue's to try again.
 */
export function captureWorker(parts: CaptureParts): (ref: CaptureRef, stopping: AbortSignal) => Promise<void> {
  const workerId = newId();
  const { world, log, pauses = [2_000, 10_000] } = parts;

  async function run(claim: CaptureClaim, signal: AbortSignal): Promise<void> {
    for (let outcome: StepOutcome = 'next'; outcome === 'next'; ) {
      signal.throwIfAborted();
      const facts = await captureFacts(world.db, claim);
      if (!facts) throw new LostCapture();
      try {
        if (facts.claims > mostFruitless) throw fruitless();
        outcome = await steps[facts.step](parts, claim, facts, signal);
      } catch (error) {
        if (signal.aborted || !isFault(error)) throw error;
        return afterFault(claim, facts, error);
      }
    }
  }

  async function afterFault(claim: CaptureClaim, { step, tries }: CaptureFacts, error: unknown): Promise<void> {
    const { failure, again, retryAfterMs } = faultFacts(error);
    log.warn({ err: error, captureId: claim.captureId, step, tries: tries + 1 }, 'a step of a capture failed');
    if (again && tries + 1 < mostTries) {
      const afterMs = Math.max(retryAfterMs ?? 0, pauses[tries] ?? 0);
      return returnCapture(world, claim, { faulty: true, afterMs });
    }
    await save(world, claim, 0, (db) => setFailed(db, claim, failure));
  }

  async function attempt(claim: CaptureClaim, stopping: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, stopping]);
    const renew = () =>
      renewCapture(world.db, claim).then(
        (ours) => ours || lost.abort(new LostCapture()),
        (error: unknown) => log.warn({ err: error, ...claim }, 'the lease of a capture could not be renewed'),
      );
    const beat = setInterval(renew, (leaseSeconds * 1000) / 4);
    try {
      await run(claim, signal);
    } catch (error) {
      if (error instanceof LostCapture || lost.signal.aborted) return;
      if (stopping.aborted) return await returnCapture(world, claim, { faulty: false, afterMs: 0 });
      throw error;
    } finally {
      clearInterval(beat);
    }
  }

  return async (ref, stopping) => {
    const claim = await claimCapture(world.db, ref, workerId);
    if (claim) await attempt(claim, stopping);
  };
}
