import type { StoredObject } from './store.ts';

/** A recording, by its place in the store. */
export interface RecordingPlace {
  workspaceId: string;
  recordingId: string;
}

/** The prefix of everything that is stored of one recording. */
export function recordingPrefix({ workspaceId, recordingId }: RecordingPlace): string {
  return `${workspaceId}/${recordingId}/`;
}

/** Where the chunks of a recording lie until they are joined. */
export function chunkPrefix(place: RecordingPlace): string {
  return `${recordingPrefix(place)}chunks/`;
}

/**
 * Key of one chunk. `sequence` counts the chunks of the recording, at most eight digits. `begins`: it is the first of a
 * new part, that is of a new MediaRecorder.
 */
export function chunkKey(place: RecordingPlace, sequence: number, begins: boolean): string {
  if (!Number.isInteger(sequence) || sequence < 0 || sequence > 99_999_999)
    throw new RangeError(`${sequence} is no number of a chunk.`);
  return `${chunkPrefix(place)}${String(sequence).padStart(8, '0')}${begins ? 'p' : ''}`;
}

/** Key of the whole recording, joined. */
export function audioKey(place: RecordingPlace, extension: 'webm' | 'wav'): string {
  return `${recordingPrefix(place)}audio.${extension}`;
}

/** Key of a part that could not be joined with the others. */
export function leftOutKey(place: RecordingPlace, part: number): string {
  return `${recordingPrefix(place)}left-out-${part}`;
}

/** Whether the object at this key is a part that could not be joined with the others. */
export function isLeftOut({ key }: StoredObject): boolean {
  return /\/left-out-\d+$/.test(key);
}

/** One chunk, by its key. */
export interface StoredChunk extends StoredObject {
  sequence: number;
  begins: boolean;
}

/** The chunk at this key; null when it is something else. */
export function chunkOf(object: StoredObject): StoredChunk | null {
  const [, digits, mark] = /\/chunks\/(\d{8})(p?)$/.exec(object.key) ?? [];
  return digits === undefined ? null : { ...object, sequence: Number(digits), begins: mark === 'p' };
}
