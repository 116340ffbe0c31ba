import { setTimeout as sleep } from 'node:timers/promises';
import type { CaptureClaim } from '../../../domain/captures/processing/claims.ts';
import { goOn, save, setAssembled } from '../../../domain/captures/processing/saves.ts';
import { LostLease } from '../../../domain/jobs.ts';
import type { AudioPart, LeftOut } from '../../../media/audio/assemble.ts';
import { joinedBefore, storedParts } from '../../../media/audio/chunks.ts';
import { audioKey, leftOutKey, type RecordingPlace, recordingPrefix } from '../../../media/storage/keys.ts';
import { intakeIsOver } from '../../recordings/claims.ts';
import { type CaptureFacts, captureExists } from './facts.ts';
import { Hopeless } from './fault.ts';
import { captureLeases } from './leases.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';

/**
 * Pause between two checks whether the connection has released the recording. It does within its lease of ten seconds.
 */
const checkMs = 200;

function noAudio({ stopReason }: CaptureFacts): Hopeless {
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

function unreadable({ stopReason }: CaptureFacts): Hopeless {
  const kept =
    'The audio that was received cannot be read as WebM or WAV. It is stored unchanged; ask the operator for it.';
  return stopReason === 'connection_lost'
    ? new Hopeless({ code: 'connection_lost', message: `The connection was lost. ${kept}`, retryable: false })
    : new Hopeless({ code: 'no_audio', message: kept, retryable: false });
}

/**
 * Joins the chunks. After a restore they may be gone, or some of them, beside the file that was made of all: the
 * database was copied before, the audio later. That file is taken then. @throws LostLease instead of overwriting the
 * file of another worker, which has removed chunks since.
 */
async function joined({ ctx, store, scratch }: CaptureParts, claim: CaptureClaim, place: RecordingPlace) {
  const { assemble } = await import('../../../media/audio/assemble.ts');
  let isLess = false;
  const join = (parts: readonly AudioPart[], isAll: boolean) =>
    assemble(parts, {
      scratch,
      name: place.recordingId,
      save: async ({ extension, size, bytes }) => {
        const key = audioKey(place, extension);
        isLess = !isAll && size < ((await store.size(key)) ?? 0);
        if (isLess) return;
        if (!(await captureLeases.renew(ctx.db, [claim])).has(claim)) throw new LostLease();
        await store.putStream(key, size, bytes);
      },
    });
  const assembly = await join(await storedParts(store, place), false);
  const all = isLess || assembly.outcome !== 'assembled' ? await joinedBefore(store, place) : [];
  return all.length > 0 ? { ...(await join(all, true)), leftOut: assembly.leftOut } : assembly;
}

/** Keeps parts that could not be joined beside the file, unchanged: an operator may still recover their audio. */
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
 * Joins the received chunks into one file that plays, once no connection can add to them. The next step removes the
 * chunks, when the capture names the file: a crash in between leaves none behind.
 */
export async function assembleStep(
  parts: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { ctx, store, log } = parts;
  const { workspaceId, captureId } = claim;
  if (facts.recordingId === null) throw new Error('Audio to be joined without a recording');
  const place = { workspaceId, recordingId: facts.recordingId };
  while (!(await intakeIsOver(ctx.db, claim))) await sleep(checkMs, undefined, { signal });
  const assembly = await joined(parts, claim, place);
  if (assembly.leftOut.length > 0) log.warn({ captureId, leftOut: assembly.leftOut }, 'recording parts left out');
  if (assembly.outcome !== 'assembled') throw assembly.outcome === 'empty' ? noAudio(facts) : unreadable(facts);
  await keepAside(parts, place, assembly.leftOut);
  const { extension, contentType: type, durationMs } = assembly;
  const audio = { key: audioKey(place, extension), type, durationSeconds: Math.ceil(durationMs / 1000) };
  const saved = save(ctx, claim, 0, async (db) => {
    await setAssembled(db, claim, audio);
    await goOn(db, claim, 'transcribe');
  });
  await saved.catch(async (error: unknown) => {
    // An erasure meanwhile may have removed the audio before this file was written.
    if (error instanceof LostLease && !(await captureExists(ctx.db, claim))) await store.remove(recordingPrefix(place));
    throw error;
  });
  return 'next';
}
