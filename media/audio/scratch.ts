import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfGone, removeAbandoned } from '../storage/disk.ts';

const mark = 'tandem-audio-';

/**
 * How often the time of a directory in use is renewed. One whose time is older than `abandonedMs` is from a process
 * that died.
 */
const renewMs = 60_000;
const abandonedMs = 15 * 60_000;

/** Removes the directories below `directory` of processes that died a quarter of an hour ago. @throws ErrnoException */
export function removeAbandonedScratch(directory: string): Promise<void> {
  return removeAbandoned(directory, abandonedMs, mark);
}

/** Removes the directories below `directory` of this name, in use or not. @throws ErrnoException */
export async function removeScratch(directory: string, name: string): Promise<void> {
  const names = (await nullIfGone(readdir(directory))) ?? [];
  for (const each of names.filter((found) => found.startsWith(`${mark}${name}-`)))
    await rm(join(directory, each), { recursive: true, force: true });
}

/**
 * Runs `work` with an empty directory below `directory`, which is removed afterwards. Another one of this name is
 * removed before: the process that had it died, or has lost the work.
 */
export async function inScratch<T>(directory: string, name: string, work: (path: string) => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeScratch(directory, name);
  const path = await mkdtemp(join(directory, `${mark}${name}-`));
  const renew = () => utimes(path, new Date(), new Date()).catch(() => {});
  const renewal = setInterval(renew, renewMs).unref();
  try {
    return await work(path);
  } finally {
    clearInterval(renewal);
    await rm(path, { recursive: true, force: true });
  }
}
