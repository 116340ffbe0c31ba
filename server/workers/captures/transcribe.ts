import type { CaptureClaim } from '../../../domain/captures/processing/claims.ts';
import {
  addTranscribed,
  goOn,
  save,
  setTranscript,
  type TranscribedPiece,
  transcribedPieces,
} from '../../../domain/captures/processing/saves.ts';
import { writeSearch } from '../../../domain/captures/search.ts';
import { transcriptText } from '../../../domain/captures/segments.ts';
import type { AudioPiece } from '../../../media/audio/pieces.ts';
import { chunkPrefix } from '../../../media/storage/keys.ts';
import type { Transcriber } from '../../../media/transcription/index.ts';
import { requireFunds } from './digest.ts';
import type { CaptureFacts } from './facts.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';

/** How much of the transcript before a piece is given to the model, in characters. */
const contextLength = 800;

function tailOf(done: readonly TranscribedPiece[]): string | null {
  const text = (done.at(-1)?.segments ?? []).map((segment) => segment.text).join(' ');
  return text === '' ? null : text.slice(-contextLength).toWellFormed();
}

/**
 * Transcribes a recording piece by piece; each is saved and charged by itself, so that none is asked for, or paid,
 * twice. When the turn is over the next pieces are left to the next one. Without an endpoint there is no transcript.
 */
export async function transcribeStep(
  { ctx, store, transcriber }: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
  isTurn: () => boolean,
): Promise<StepOutcome> {
  const { audioKey, language, recordingId } = facts;
  // The file that was joined of them is there.
  if (audioKey !== null && recordingId !== null)
    await store.remove(chunkPrefix({ workspaceId: claim.workspaceId, recordingId }));
  if (!transcriber || audioKey === null) {
    await save(ctx, claim, 0, (db) => goOn(db, claim, 'digest'));
    return 'next';
  }

  async function ask(by: Transcriber, piece: AudioPiece, prompt: string | null) {
    await requireFunds(ctx, claim.workspaceId);
    let activeMs = 0;
    const audio = { bytes: piece.bytes, type: piece.contentType, offsetMs: piece.startMs, language, prompt };
    const onActive = (ms: number) => {
      activeMs += ms;
    };
    const segments = await by.transcribe(audio, { signal, onActive });
    return { transcribed: { endMs: piece.endMs, segments }, activeMs };
  }

  const done = await transcribedPieces(ctx.db, claim);
  const { pieces, storedAudio } = await import('../../../media/audio/pieces.ts');
  const audio = await storedAudio(store, audioKey);
  const limits = { maxMs: transcriber.pieceMs, maxBytes: transcriber.pieceBytes };
  for await (const piece of pieces(audio, limits, done.at(-1)?.endMs)) {
    signal.throwIfAborted();
    const { transcribed, activeMs } = await ask(transcriber, piece, tailOf(done));
    await save(ctx, claim, activeMs, (db) => addTranscribed(db, claim, done.length, transcribed));
    done.push(transcribed);
    if (!isTurn()) return 'next';
  }
  const segments = done.flatMap(({ segments }) => segments);
  await save(ctx, claim, 0, async (db) => {
    await setTranscript(db, claim, transcriptText(segments));
    await writeSearch(db, claim);
    await goOn(db, claim, 'digest');
  });
  return 'next';
}
