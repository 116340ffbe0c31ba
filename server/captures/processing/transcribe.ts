import type { CaptureClaim } from '../../../routers/captures/processing/claims.ts';
import {
  addTranscribed,
  goOn,
  save,
  setTranscript,
  transcribedPieces,
} from '../../../routers/captures/processing/saves.ts';
import { writeSearch } from '../../../routers/captures/rows.ts';
import { type Segment, transcriptText } from '../../../routers/captures/transcripts/segments.ts';
import { type AudioPiece, pieces } from '../audio/index.ts';
import type { Transcriber } from '../transcription/index.ts';
import { requireFunds } from './digest.ts';
import type { CaptureFacts } from './facts.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';

/** How much of what was said before helps a model to go on, in characters. */
const contextLength = 200;

function tailOf(segments: readonly Segment[]): string | null {
  const text = segments.map((segment) => segment.text).join(' ');
  return text === '' ? null : text.slice(-contextLength).toWellFormed();
}

async function transcribe(
  { world }: CaptureParts,
  transcriber: Transcriber,
  claim: CaptureClaim,
  piece: AudioPiece & { language: string | null; prompt: string | null },
  signal: AbortSignal,
): Promise<Segment[]> {
  await requireFunds(world, claim.workspaceId);
  let activeMs = 0;
  const segments = await transcriber.transcribe(piece, { signal, onActive: (ms) => (activeMs += ms) });
  await save(world, claim, activeMs, (db) => addTranscribed(db, claim, piece.position, segments));
  return segments;
}

/** Transcribes a recording piece by piece; each is saved and charged by itself, so that none is asked for twice. */
export async function transcribeStep(
  parts: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { world, store, transcriber } = parts;
  const { audioKey: key, audioType: type, language } = facts;
  if (!transcriber || key === null || type === null) {
    await save(world, claim, 0, (db) => goOn(db, claim, 'digest'));
    return 'next';
  }
  const done = await transcribedPieces(world.db, claim);
  const said: Segment[] = [];
  const limits = { maxMs: transcriber.pieceMs, maxBytes: transcriber.pieceBytes, skip: new Set(done.keys()) };
  for await (const piece of pieces(store, { key, type }, limits)) {
    signal.throwIfAborted();
    const before = { language, prompt: tailOf(said) };
    const known = done.get(piece.position);
    said.push(...(known ?? (await transcribe(parts, transcriber, claim, { ...piece, ...before }, signal))));
  }
  await save(world, claim, 0, async (db) => {
    await setTranscript(db, claim, transcriptText(said));
    await writeSearch(db, claim);
    await goOn(db, claim, 'digest');
  });
  return 'next';
}
