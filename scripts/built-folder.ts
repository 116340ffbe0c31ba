import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/* Folders that are built from sources: at install, before the start and before tests, whenever a source has changed. */

/** The root of the project. */
export const root = join(import.meta.dirname, '..');

const stampName = 'sources.sha256';

export interface BuiltFolder {
  /** What it is, as in `Built the client in 200 ms.` */
  name: string;
  /** The folder, absolute. It is replaced as a whole. */
  folder: string;
  /** A hash over everything that it is built from; null where the sources are absent, as in an image layer. */
  sources(): Promise<string | null>;
  /** Writes the files into an empty folder. */
  write(folder: string): Promise<void>;
}

/** The TypeScript files below these folders of the project, except what was built there. */
export async function sourcesIn(folders: readonly string[]): Promise<string[]> {
  const listed = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  return listed.flat().filter((path) => path.endsWith('.ts') && !/[\\/]\.?dist\b/.test(path.slice(root.length)));
}

/** A hash over the names and contents of files. */
export async function hashOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) {
    const name = path.slice(root.length).replaceAll('\\', '/');
    hash
      .update(`${name}\0`)
      .update(await readFile(path))
      .update('\0');
  }
  return hash.digest('hex');
}

const stampOf = (folder: string) => readFile(join(folder, stampName), 'utf8').catch(() => '');

/**
 * Builds beside the folder and renames, so that a service that starts meanwhile finds a complete build. Another process
 * may build the same at the same time: the first one's folder stays.
 */
async function replace({ folder, write }: BuiltFolder, hash: string): Promise<void> {
  const fresh = join(dirname(folder), `.dist-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    await mkdir(fresh, { recursive: true });
    await write(fresh);
    await writeFile(join(fresh, stampName), hash);
    if (existsSync(folder)) await rename(folder, old).catch(() => {});
    await rename(fresh, folder).catch(async (error) => {
      if ((await stampOf(folder)) !== hash) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** Builds the folder unless it is up to date. */
export async function build(built: BuiltFolder): Promise<'built' | 'fresh' | 'absent'> {
  const hash = await built.sources();
  if (hash === null) return 'absent';
  if ((await stampOf(built.folder)) === hash) return 'fresh';
  await replace(built, hash);
  return 'built';
}

/**
 * Has a process of its own run a script that builds, unless the folder is up to date: a bundler holds 700 MB until it
 * ends.
 */
export async function buildApart(built: BuiltFolder, script: string): Promise<void> {
  if ((await stampOf(built.folder)) === (await built.sources())) return;
  await promisify(execFile)(process.execPath, [join(root, 'scripts', script)]);
}

/**
 * Builds the folder unless it is up to date, and prints how long it took. With a `consequence` a failure is printed,
 * followed by that, instead of thrown.
 */
export async function buildAsPart(
  built: BuiltFolder,
  consequence?: string,
): Promise<'built' | 'fresh' | 'absent' | 'failed'> {
  const begun = performance.now();
  try {
    const outcome = await build(built);
    const ms = Math.round(performance.now() - begun);
    if (outcome === 'built') process.stdout.write(`Built ${built.name} in ${ms} ms.\n`);
    return outcome;
  } catch (error) {
    if (consequence === undefined) throw error;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`Building ${built.name} failed (${consequence}): ${message}\n`);
    return 'failed';
  }
}
