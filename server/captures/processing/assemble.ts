import { setTimeout as sleep } from 'node:timers/promises';
import { type CaptureClaim, LostCapture, renewCapture } from '../../../routers/captures/processing/claims.ts';
import { goOn, save, setAssembled } from '../../../routers/captures/processing/saves.ts';
import { assemble, type LeftOut } from '../audio/assemble.ts';
import { storedParts } from '../audio/chunks.ts';
import { intakeIsOver } from '../intake/claims.ts';
import { audioKey, leftOutKey, type RecordingPlace, recordingPrefix } from '../storage/keys.ts';
import { type CaptureFacts, captureExists } from './facts.ts';
import { Hopeless } from './fault.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';

/** How often it is asked whether the connection has let go of the recording. It does within its lease of ten seconds. */
const askMs = 200;

function nothingHeard({ stopReason }: CaptureFacts): Hopeless {
  return stopReason === 'connection_lost'
    ? new Hopeless({
        code: 'connection_lost',
        message: 'The connection was lost before any audio arrived. Record again.',
        retryable: false,
      })
    : new Hopeless({
        code: 'no_audio',
        message: 'No audio arrived. Check the microphone, and record again.',
        retryable: false,
      });
}

function unreadable(): Hopeless {
  const message = 'What arrived cannot be read as WebM or WAV audio. It is kept as it came; ask the operator for it.';
  return new Hopeless({ code: 'no_audio', message, retryable: false });
}

/** @throws LostCapture instead of saving what another worker, who has gone on, left of the chunks. */
async function joined({ world, store, scratch }: CaptureParts, claim: CaptureClaim, place: RecordingPlace) {
  return assemble(await storedParts(store, place), {
    scratch,
    save: async ({ extension, size, bytes }) => {
      if (!(await renewCapture(world.db, claim))) throw new LostCapture();
      await store.putStream(audioKey(place, extension), size, bytes);
    },
  });
}

/** Keeps parts that could not be joined beside the file, as they came: somebody may still make something of them. */
async function keepAside({ store }: CaptureParts, place: RecordingPlace, leftOut: readonly LeftOut[]): Promise<void> {
  const kept = leftOut.filter(({ reason }) => reason !== 'empty');
  if (kept.length === 0) return;
  const parts = await storedParts(store, place);
  for (const { part, size } of kept) {
    const bytes = parts[part];
    if (bytes) await store.putStream(leftOutKey(place, part), size, bytes);
  }
}

/**
 * Joins what was received into one file that plays, once nobody can add to it any more. The chunks go with the next step,
 * when the capture names the file: whatever happens in between, they do.
 */
export async function assembleStep(
  parts: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { world, store, log } = parts;
  const { workspaceId, captureId } = claim;
  if (facts.recordingId === null) throw new Error('Audio to be joined without a recording');
  const place = { workspaceId, recordingId: facts.recordingId };
  while (!(await intakeIsOver(world.db, claim))) await sleep(askMs, undefined, { signal });
  const assembly = await joined(parts, claim, place);
  if (assembly.leftOut.length > 0)
    log.warn({ captureId, leftOut: assembly.leftOut }, 'parts of a recording were left out');
  if (assembly.outcome !== 'assembled') throw assembly.outcome === 'empty' ? nothingHeard(facts) : unreadable();
  await keepAside(parts, place, assembly.leftOut);
  const { extension, contentType: type, durationMs } = assembly;
  const audio = { key: audioKey(place, extension), type, durationSeconds: Math.ceil(durationMs / 1000) };
  const saved = save(world, claim, 0, async (db) => {
    await setAssembled(db, claim, audio);
    await goOn(db, claim, 'transcribe');
  });
  await saved.catch(async (error: unknown) => {
    // Whoever erased it may have removed its audio before this file was written.
    if (error instanceof LostCapture && !(await captureExists(world.db, claim)))
      await store.remove(recordingPrefix(place));
    throw error;
  });
  return 'next';
}
