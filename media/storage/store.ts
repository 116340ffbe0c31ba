/** One object of the store. */
export interface StoredObject {
  key: string;
  /** Bytes. */
  size: number;
}

/** A range of bytes, both ends included, as in RFC 9110 §14.1.2. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A store of audio. Keys and prefixes are those of keys.ts; any other is refused with a RangeError. */
export interface AudioStore {
  /**
   * Durable when it resolves. Overwriting with the same bytes is harmless, and a crash never leaves half an object
   * under its key. @throws StoreFault
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * The same for something large that comes in pieces: nothing is there until it is whole. @throws StoreFault, or an
   * Error when other than `size` bytes come
   */
  putStream(key: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The objects below a prefix, which ends in `/`, in the order of their keys. @throws StoreFault */
  list(prefix: string): Promise<StoredObject[]>;
  /**
   * The bytes of an object, or of a range of it, which is cut at its end. A reader that stops early
   * ends the transfer. @throws MissingAudio, StoreFault
   */
  read(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Bytes of an object; null when it is not there. @throws StoreFault */
  size(key: string): Promise<number | null>;
  /** Removes everything below a prefix, which ends in `/`; fine when nothing is there. @throws StoreFault */
  remove(prefix: string): Promise<void>;
  /**
   * Removes what writes left that ended with their process, a day later; for a store that needs it. @throws StoreFault
   */
  tidy?(): Promise<void>;
}

/** There is no object under this key. */
export class MissingAudio extends Error {
  constructor(key: string) {
    super(`There is no audio at ${key}.`);
  }
}

/** The store could not do it. The message is for the log of the service: it holds no secret and nothing recorded. */
export class StoreFault extends Error {}

const segment = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}';
const keys = new RegExp(`^${segment}(?:/${segment}){1,5}$`);
const prefixes = new RegExp(`^(?:${segment}/){1,5}$`);

/**
 * @throws RangeError when this is no key: two to six names of letters, digits, `_`, `-` and `.`, none with `.` first.
 */
export function checkKey(key: string): void {
  if (!keys.test(key)) throw new RangeError(`“${key.slice(0, 200)}” is no key of the audio store.`);
}

/** Whether a name found in the store is a key; the service wrote no others. */
export function isKey(name: string): boolean {
  return keys.test(name);
}

/** @throws RangeError when this is no prefix: never the root. */
export function checkPrefix(prefix: string): void {
  if (!prefixes.test(prefix)) throw new RangeError(`“${prefix.slice(0, 200)}” is no prefix of the audio store.`);
}

/** @throws RangeError */
export function checkRange({ start, end }: ByteRange): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || end < start) throw new RangeError(`${start}-${end} is no range of bytes.`);
}
