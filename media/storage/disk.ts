import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  type AudioStore,
  checkKey,
  checkPrefix,
  checkRange,
  isKey,
  MissingAudio,
  type StoredObject,
  StoreFault,
} from './store.ts';

/** Where files are written before they get their name. No key begins with a dot. */
export const incoming = '.incoming';

/** After so long a file in there belongs to a process that died. */
const abandonedMs = 24 * 60 * 60 * 1000;

const readBytes = 64 * 1024;

/** Directories that a process has made durable, so that not every chunk costs a sync of each. */
const maxDurable = 10_000;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code;
const gone = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

/** What the file system refuses, as a fault of the store. */
function faultOf(error: unknown): unknown {
  const code = codeOf(error);
  return code === undefined ? error : new StoreFault(`The audio store on disk failed (${code}).`, { cause: error });
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => Promise.reject(faultOf(error)));
}

/** What `work` resolves to; null when the file system has no such name. */
export async function nullIfGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (gone(error)) return null;
    throw error;
  }
}

/** A rename or a new file is durable once its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await handle.sync().finally(() => handle.close());
}

/**
 * Removes what processes that died left in a directory: entries whose names begin with `prefix` and that were not
 * changed for `ageMs`. A directory that does not exist is fine. @throws ErrnoException
 */
export async function removeAbandoned(directory: string, ageMs: number, prefix = ''): Promise<void> {
  const names = (await nullIfGone(readdir(directory))) ?? [];
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const path = join(directory, name);
    const found = await nullIfGone(stat(path));
    if (!found || Date.now() - found.mtimeMs <= ageMs) continue;
    // One that cannot be removed must not prevent the removal of the others.
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function writeAll(handle: FileHandle, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let written = 0;
  for await (const each of bytes) {
    await onDisk(handle.writeFile(each));
    written += each.byteLength;
    if (written > size) break;
  }
  if (written !== size) throw new StoreFault(`${written} bytes of audio came where ${size} were announced.`);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Audio in files below `directory`, which is made when it is first needed. Files are readable to the owner alone. With
 * several machines it must be a file system that all of them see.
 */
export function createDiskStore(directory: string): AudioStore {
  let opened: Promise<string> | undefined;
  const durable = new Set<string>();
  const root = () => {
    opened ??= (async () => {
      await mkdir(join(directory, incoming), { recursive: true, mode: 0o700 });
      return await realpath(resolve(directory));
    })();
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };

  /** The path of a key or prefix. @throws StoreFault for a symbolic link on the way: it may lead out of the store. */
  const pathOf = async (name: string): Promise<string> => {
    let path = await root();
    for (const segment of name.split('/').filter(Boolean)) {
      path = join(path, segment);
      const found = await nullIfGone(lstat(path));
      if (found?.isSymbolicLink()) throw new StoreFault(`${path} is a symbolic link. Remove it from the audio store.`);
    }
    return path;
  };

  /** Makes a directory, durable with each name on the way to it. */
  const makeDirectory = async (path: string): Promise<void> => {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    if (made === undefined && durable.has(path)) return;
    const top = await root();
    for (let at = dirname(path); at.length >= top.length; at = dirname(at)) await syncDirectory(at);
    if (durable.size >= maxDurable) durable.clear();
    durable.add(path);
  };

  const write = async (key: string, size: number, bytes: AsyncIterable<Uint8Array>) => {
    checkKey(key);
    const target = await onDisk(pathOf(key));
    const temporary = join(await root(), incoming, randomBytes(12).toString('hex'));
    try {
      const handle = await onDisk(open(temporary, 'wx', 0o600));
      await writeAll(handle, size, bytes)
        .then(() => onDisk(handle.sync()))
        .finally(() => handle.close());
      await onDisk(makeDirectory(dirname(target)));
      await onDisk(rename(temporary, target));
      await onDisk(syncDirectory(dirname(target)));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };

  const openToRead = async (key: string): Promise<{ handle: FileHandle; size: number }> => {
    const path = await pathOf(key);
    const handle = await nullIfGone(open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
    const found = await handle?.stat();
    if (handle && found?.isFile()) return { handle, size: found.size };
    await handle?.close();
    throw new MissingAudio(key);
  };

  const list = async (prefix: string): Promise<StoredObject[]> => {
    checkPrefix(prefix);
    const path = await pathOf(prefix);
    const entries: Dirent[] = (await nullIfGone(readdir(path, { recursive: true, withFileTypes: true }))) ?? [];
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const found = await Promise.all(
      files.sort().map(async (file) => {
        const key = prefix + file.slice(path.length + 1);
        const size = isKey(key) ? (await nullIfGone(lstat(file)))?.size : undefined;
        return size === undefined ? [] : [{ key, size }];
      }),
    );
    return found.flat();
  };

  const size = async (key: string): Promise<number | null> => {
    checkKey(key);
    const found = await nullIfGone(lstat(await pathOf(key)));
    return found?.isFile() ? found.size : null;
  };

  const remove = async (prefix: string): Promise<void> => {
    checkPrefix(prefix);
    const path = await pathOf(prefix);
    await rm(path, { recursive: true, force: true });
    await nullIfGone(syncDirectory(dirname(path)));
  };

  return {
    put: (key, bytes) => write(key, bytes.byteLength, once(bytes)),
    putStream: write,
    list: (prefix) => onDisk(list(prefix)),
    size: (key) => onDisk(size(key)),
    remove: (prefix) => onDisk(remove(prefix)),
    tidy: () => onDisk(removeAbandoned(join(directory, incoming), abandonedMs)),
    read: async function* (key, range) {
      checkKey(key);
      if (range) checkRange(range);
      const { handle, size } = await onDisk(openToRead(key));
      try {
        // No more is asked for than there is: a recording is thousands of small objects.
        const end = range ? Math.min(range.end + 1, size) : size;
        for (let at = range?.start ?? 0; at < end; ) {
          const buffer = new Uint8Array(Math.min(readBytes, end - at));
          const { bytesRead } = await onDisk(handle.read(buffer, 0, buffer.length, at));
          if (bytesRead === 0) return;
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
    },
  };
}
