import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileResult } from './run-file.ts';

/*
 * How long each test file took when it passed last, so that a run can begin with the longest: one that begins last
 * would run alone at the end. The figures decide the order and nothing else.
 */

const memory = join(import.meta.dirname, '../../node_modules/.cache/test-seconds.json');

/** Seconds by path. */
type Durations = ReadonlyMap<string, number>;

/** What earlier runs found; empty when there is nothing that can be read. */
export async function readDurations(file = memory): Promise<Durations> {
  try {
    const entries = Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>);
    return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  } catch {
    return new Map();
  }
}

/** Adds what passed to what is known. Written beside the file and renamed: another run may read it. */
export async function rememberDurations(results: readonly FileResult[], file = memory): Promise<void> {
  const passed = results.filter(({ failed }) => failed === 0).map(({ path, seconds }) => [path, seconds] as const);
  const all = [...(await readDurations(file)), ...passed];
  const known = Object.fromEntries(all.filter(([path]) => existsSync(path)));
  const fresh = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(fresh, JSON.stringify(known));
  await rename(fresh, file);
}

/** The paths, the longest first; before them those that are unknown, in their order. */
export function longestFirst(paths: readonly string[], durations: Durations): string[] {
  const secondsOf = (path: string) => durations.get(path) ?? Number.MAX_VALUE;
  return paths.toSorted((a, b) => secondsOf(b) - secondsOf(a));
}
