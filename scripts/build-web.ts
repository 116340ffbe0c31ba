import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * `npm run build`: builds the pages of web/ into web/dist, offline. Also run at install and before start, where it does
 * nothing when the sources are unchanged, and a failure does not stop the start.
 */

const root = join(import.meta.dirname, '..');
const web = join(root, 'web');
const dist = join(web, 'dist');
const stamp = join(dist, 'sources.sha256');

/** A hash over everything that the pages are built from. */
async function sourcesHash(): Promise<string> {
  const folders = [web, join(root, 'client')].map((path) => readdir(path, { recursive: true, withFileTypes: true }));
  const entries = (await Promise.all(folders)).flat();
  const ours = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = ours.filter((path) => !/[\\/](\.?dist|node_modules)\b/.test(path.slice(root.length))).sort();
  const hash = createHash('sha256');
  for (const path of [...files, join(root, 'package-lock.json')]) {
    hash
      .update(path.slice(root.length).replaceAll('\\', '/'))
      .update('\0')
      .update(await readFile(path))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Builds beside `dist` and renames, so that a service that starts meanwhile finds a complete build. */
async function build(hash: string): Promise<void> {
  const { build: viteBuild } = await import('vite');
  const fresh = join(web, `.dist-${process.pid}`);
  const old = `${fresh}-old`;
  // Of the tests it is another one, and React would be built with its checks: twice the size.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    const configFile = join(web, 'vite.config.ts');
    await viteBuild({ configFile, logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } });
    await writeFile(join(fresh, 'sources.sha256'), hash);
    if (existsSync(dist)) await rename(dist, old);
    await rename(fresh, dist);
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** Builds web/dist unless it is up to date. `absent`: no sources, as in an image layer with package.json only. */
export async function buildWeb(): Promise<'built' | 'fresh' | 'absent'> {
  if (!existsSync(join(web, 'index.html'))) return 'absent';
  const hash = await sourcesHash();
  const built = await readFile(stamp, 'utf8').catch(() => '');
  if (built === hash) return 'fresh';
  await build(hash);
  return 'built';
}

/** Like `buildWeb`, but prints a failure instead of throwing. */
export async function tryBuildWeb(): Promise<void> {
  const begun = performance.now();
  try {
    const outcome = await buildWeb();
    if (outcome === 'built') process.stdout.write(`Built the pages in ${Math.round(performance.now() - begun)} ms.\n`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The pages could not be built (the API works without them): ${message}\n`);
  }
}

if (import.meta.main) {
  if (process.argv.includes('--try')) await tryBuildWeb();
  else process.stdout.write(`The pages: ${await buildWeb()}.\n`);
}
