import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * `npm run build`: the command-line client of cli/ as one file, cli/dist/tandem.cjs, with its checksum. Also run at
 * install and before start, where it does nothing when the file was made from these very sources, and never stands in
 * the way: the API works without. The same sources give the same bytes.
 */

const root = join(import.meta.dirname, '..');
const cli = join(root, 'cli');
const dist = join(cli, 'dist');

/** The name of the file that is built, and served. */
export const bundleName = 'tandem.cjs';
const stampName = 'sources.sha256';

/** What the file is made of: its own sources, and those that the list of operations is derived from. */
const sourceFolders = ['cli', 'db', 'routers', 'adapters'];
const sourceFiles = ['package.json', 'package-lock.json', 'scripts/build-cli.ts', 'scripts/cli-catalogue.ts'];

/** A hash over everything that the client is built from. */
async function sourcesHash(): Promise<string> {
  const listed = await Promise.all(
    sourceFolders.map(async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  const ours = listed.flat().filter((path) => path.endsWith('.ts') && !path.startsWith(dist));
  const hash = createHash('sha256');
  for (const path of [...ours, ...sourceFiles.map((each) => join(root, each))].sort()) {
    const name = path.slice(root.length).replaceAll('\\', '/');
    hash
      .update(`${name}\0`)
      .update(await readFile(path))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * First in the file. Every Node since 12 can read it, so that an old one is told in words. `require` stands for the
 * built-in modules also where the file is taken for an ECMAScript module: below a package.json that says so.
 */
const banner = `#!/usr/bin/env node
// Tandem at the prompt: this one file is the whole client.
if (Number(process.versions.node.split('.')[0]) < 22) {
  process.stderr.write('tandem needs Node.js 22 or newer; this is ' + process.versions.node + '. See https://nodejs.org/\\n');
  process.exit(1);
}
var require = typeof require === 'function' ? require : process.getBuiltinModule;
`;

/** The text of the client. */
export async function bundleText(): Promise<string> {
  const [{ build }, { catalogueOf }] = await Promise.all([import('vite'), import('./cli-catalogue.ts')]);
  const virtual = '\0tandem:catalogue';
  const built = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [
      {
        name: 'catalogue',
        resolveId: (id) => (id === 'tandem:catalogue' ? virtual : null),
        load: (id) => (id === virtual ? `export default ${JSON.stringify(catalogueOf())}` : null),
      },
    ],
    ssr: { noExternal: true },
    build: {
      ssr: join(cli, 'main.ts'),
      write: false,
      target: 'es2022',
      minify: false,
      rolldownOptions: { output: { format: 'cjs', banner, entryFileNames: bundleName } },
    },
  });
  const [chunk, ...more] = 'output' in built ? built.output : [];
  if (chunk?.type !== 'chunk' || more.length > 0) throw new Error('the client did not become one file');
  return chunk.code;
}

/** Builds beside `dist` and swaps, so that a service that starts meanwhile finds the one or the other, whole. */
async function build(hash: string): Promise<void> {
  const fresh = join(cli, `.dist-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    const text = await bundleText();
    const checksum = createHash('sha256').update(text).digest('hex');
    await mkdir(fresh, { recursive: true });
    await writeFile(join(fresh, bundleName), text, { mode: 0o755 });
    await writeFile(join(fresh, `${bundleName}.sha256`), `${checksum}  ${bundleName}\n`);
    await writeFile(join(fresh, stampName), hash);
    if (existsSync(dist)) await rename(dist, old);
    await rename(fresh, dist);
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** Makes cli/dist what the sources say. `absent`: there are none, as in an image layer of package.json alone. */
export async function buildCli(): Promise<'built' | 'fresh' | 'absent'> {
  if (!existsSync(join(cli, 'main.ts')) || !existsSync(join(root, 'routers'))) return 'absent';
  const hash = await sourcesHash();
  const built = await readFile(join(dist, stampName), 'utf8').catch(() => '');
  if (built === hash) return 'fresh';
  await build(hash);
  return 'built';
}

/** As `buildCli`, where a failure must not stop what comes next. */
export async function tryBuildCli(): Promise<void> {
  const begun = performance.now();
  try {
    const outcome = await buildCli();
    if (outcome === 'built') process.stdout.write(`Built the client in ${Math.round(performance.now() - begun)} ms.\n`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The command-line client could not be built (the API works without it): ${message}\n`);
  }
}

if (import.meta.main) {
  if (process.argv.includes('--try')) await tryBuildCli();
  else process.stdout.write(`The command-line client: ${await buildCli()}.\n`);
}
