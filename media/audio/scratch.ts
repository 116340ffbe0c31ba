import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const mark = 'tandem-audio-';

/** After so long a directory belongs to a process that died. */
const abandonedMs = 24 * 60 * 60 * 1000;

async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(mark)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true });
  }
}

/** Runs `work` with an empty directory below `directory`, which is removed afterwards; one that a crash left, a day later. */
export async function inScratch<T>(directory: string, work: (path: string) => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeAbandoned(directory);
  const path = await mkdtemp(join(directory, mark));
  try {
    return await work(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
