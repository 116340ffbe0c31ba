import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltFolder, build, buildAsPart, hashOf, root } from './built-folder.ts';

/*
 * `npm run build`: builds the pages of web/ into web/dist, offline. Also run at install and before start, where it does
 * nothing when the sources are unchanged, and a failure does not stop the start.
 */

const web = join(root, 'web');

/** A hash over everything that the pages are built from; null where package.json is alone, as in an image layer. */
async function sources(): Promise<string | null> {
  if (!existsSync(join(web, 'index.html'))) return null;
  const folders = [web, join(root, 'client')].map((path) => readdir(path, { recursive: true, withFileTypes: true }));
  const entries = (await Promise.all(folders)).flat();
  const ours = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = ours.filter((path) => !/[\\/](\.?dist|node_modules)\b/.test(path.slice(root.length)));
  return hashOf([...files, join(root, 'package-lock.json')]);
}

async function write(folder: string): Promise<void> {
  const { build: viteBuild } = await import('vite');
  // Of the tests it is another one, and React would be built with its checks: twice the size.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    const configFile = join(web, 'vite.config.ts');
    await viteBuild({ configFile, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

export const pages: BuiltFolder = { name: 'the pages', folder: join(web, 'dist'), sources, write };

/** Builds web/dist unless it is up to date. `absent`: no sources, as in an image layer with package.json only. */
export const buildWeb = () => build(pages);

if (import.meta.main) await buildAsPart(pages);
