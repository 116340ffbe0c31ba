import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FilePathTarget } from 'mediabunny';
import { fileBytes } from './file-bytes.ts';
import { inScratch } from './scratch.ts';
import { createTimeline } from './timeline.ts';
import { type AudioBytes, openTrack, type Track } from './tracks.ts';
import { wavDocuments } from './wav-documents.ts';
import { openWebmStream, type Span, webmDocuments } from './webm-stream.ts';
import { type AudioWriter, writeAudio } from './write.ts';

/** What one MediaRecorder made, in order: a WebM stream or a WAV file, cut anywhere. */
export type AudioPart = AsyncIterable<Uint8Array>;

/** The recording as one file, for the store. */
export interface AssembledFile {
  extension: 'webm' | 'wav';
  contentType: 'audio/webm' | 'audio/wav';
  size: number;
  durationMs: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** A part that is not, or not wholly, in the file. */
export interface LeftOut {
  /** Its place among the parts, from 0. */
  part: number;
  /**
   * `empty`: no audio. `unreadable`: no audio file that can be read. `another_format`: it cannot be joined with the
   * others, which play longer.
   */
  reason: 'empty' | 'unreadable' | 'another_format';
  /** Bytes of the part. */
  size: number;
}

/** What became of the parts. Nothing was saved unless it is `assembled`. */
export type Assembly =
  | ({ outcome: 'assembled'; leftOut: LeftOut[] } & Omit<AssembledFile, 'bytes'>)
  | { outcome: 'empty' | 'unreadable'; leftOut: LeftOut[] };

export interface AssembleOptions {
  /** A directory for temporary files: about twice the recording. */
  scratch: string;
  /** Of the recording; temporary files of its name are removed first, and with `removeScratch`. */
  name: string;
  /** Stores the file. It is deleted once this resolves. */
  save(file: AssembledFile): Promise<void>;
}

/** A whole audio file inside the file of a part. */
interface AudioDocument extends Span {
  part: number;
  path: string;
  isWav: boolean;
}

async function writePart(path: string, part: AudioPart): Promise<number> {
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const bytes of part) await handle.writeFile(bytes);
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** The audio files in one part. The header of a WAV file is repaired so that it can be read. */
async function documentsOf(part: number, path: string): Promise<AudioDocument[]> {
  const handle = await open(path, 'r+');
  try {
    const file = await fileBytes(handle);
    const isWav = /^RIFF[\s\S]{4}WAVE$/.test((await file.read(0, 12)).toString('latin1'));
    const spans = isWav ? await wavDocuments(file, handle) : await webmDocuments(file);
    return spans.map((span) => ({ ...span, part, path, isWav }));
  } finally {
    await handle.close();
  }
}

function bytesOf(handle: FileHandle, { start, end }: Span): AudioBytes {
  const read = async (from: number, to: number) => {
    const buffer = Buffer.alloc(to - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start + from);
    return buffer.subarray(0, bytesRead);
  };
  return { size: end - start, read };
}

async function withTrack<T>(document: AudioDocument, work: (track: Track | null) => Promise<T>): Promise<T> {
  const handle = await open(document.path);
  try {
    const track = document.isWav
      ? await openTrack(bytesOf(handle, document))
      : await openWebmStream(await fileBytes(handle), document);
    return await work(track).finally(() => track?.close());
  } finally {
    await handle.close();
  }
}

/** How a document may be joined; `empty` when it holds no packet, null when it cannot be read. */
function kindOf(document: AudioDocument): Promise<string | null> {
  return withTrack(document, async (track) => {
    if (!track) return null;
    for await (const _ of track.packets()) return track.kind;
    return 'empty';
  });
}

function secondsOf(document: AudioDocument): Promise<number> {
  return withTrack(document, async (track) => {
    let seconds = 0;
    if (track) for await (const { duration } of track.packets()) seconds += duration;
    return seconds;
  });
}

/** The kind that plays longest; the first of several. Undefined when none plays. */
async function longestKind(documents: readonly AudioDocument[], kinds: readonly (string | null)[]) {
  const playing = new Set(kinds.filter((kind) => kind !== null && kind !== 'empty'));
  if (playing.size < 2) return [...playing][0];
  const sums = new Map<string | null, number>();
  for (const [index, document] of documents.entries()) {
    const kind = kinds[index] ?? null;
    if (playing.has(kind)) sums.set(kind, (sums.get(kind) ?? 0) + (await secondsOf(document)));
  }
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Joins documents of one kind into the file `path`. */
async function joinInto(path: string, documents: readonly AudioDocument[]) {
  const size = documents.reduce((sum, { start, end }) => sum + end - start, 0);
  const timeline = createTimeline();
  let writer: AudioWriter | undefined;
  let extension: Track['extension'] = 'webm';
  try {
    for (const document of documents) {
      await withTrack(document, async (track) => {
        if (!track) return;
        extension = track.extension;
        writer ??= await writeAudio(track, new FilePathTarget(path, { chunkSize: 2 ** 20 }), size);
        timeline.follow();
        for await (const packet of track.packets()) await writer.add({ ...packet, timestamp: timeline.place(packet) });
      });
    }
    await writer?.finish();
  } catch (error) {
    await writer?.cancel();
    throw error;
  }
  return { extension, durationMs: Math.round(timeline.end * 1000), size: (await stat(path)).size };
}

/**
 * A stream opens its file at once, and one that is never read keeps it open, and its blocks, for as long as the
 * process.
 */
async function* readFrom(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

function leftOutOf(
  sizes: readonly number[],
  documents: readonly AudioDocument[],
  kinds: readonly (string | null)[],
  chosen?: string,
) {
  const byPart = Map.groupBy(kinds, (_, index) => documents[index]?.part);
  return sizes.flatMap((size, part): LeftOut[] => {
    const found = byPart.get(part) ?? [];
    if (found.some((kind) => kind !== null && kind !== 'empty' && kind !== chosen))
      return [{ part, reason: 'another_format', size }];
    if (chosen !== undefined && found.includes(chosen)) return [];
    return [{ part, reason: size === 0 || found.includes('empty') ? 'empty' : 'unreadable', size }];
  });
}

/**
 * Joins the parts of a recording into one playable file: packets are copied, never re-encoded, and later parts follow
 * earlier ones in time. What cannot be joined with the rest is left out and reported. The same parts make the same
 * bytes. Memory stays small whatever their length. @throws what a part, `save` or the disk throws
 */
export function assemble(parts: readonly AudioPart[], { scratch, name, save }: AssembleOptions): Promise<Assembly> {
  return inScratch(scratch, name, async (directory) => {
    const sizes: number[] = [];
    const documents: AudioDocument[] = [];
    for (const [part, bytes] of parts.entries()) {
      const path = join(directory, `part-${part}`);
      sizes.push(await writePart(path, bytes));
      documents.push(...(await documentsOf(part, path)));
    }
    const kinds: (string | null)[] = [];
    for (const document of documents) kinds.push(await kindOf(document));
    const chosen = (await longestKind(documents, kinds)) ?? undefined;
    const leftOut = leftOutOf(sizes, documents, kinds, chosen);
    if (chosen === undefined) {
      const outcome = leftOut.every(({ reason }) => reason === 'empty') ? 'empty' : 'unreadable';
      return { outcome, leftOut };
    }
    const path = join(directory, 'joined');
    const joined = await joinInto(
      path,
      documents.filter((_, index) => kinds[index] === chosen),
    );
    const file = { ...joined, contentType: `audio/${joined.extension}` as const };
    await save({ ...file, bytes: readFrom(path) });
    return { outcome: 'assembled', leftOut, ...file };
  });
}
