import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';
import { sourcePlaces } from './build-server.ts';
import { root } from './built-folder.ts';

/*
 * `node scripts/bundle-release.ts COMMIT`: bundles the server of a release into tests/fixtures/, for the tests
 * that run it on the database of the next one, and names its last migration in db/migrations/previous-release.json. The
 * packages that both have in the same version are left to node_modules.
 */

interface Manifest {
  dependencies: Record<string, string>;
}

/** What the server reads at run time, beside its code. */
const readFolders = ['db/migrations', 'adapters/cli', 'adapters/docs/assets', 'docs/guides'];
/** Of releases from the one with a sidebar on. */
const pageTable = 'web/pages.json';

const bundleFile = join(root, 'tests/fixtures/previous-release.json.br');

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

async function bundle(folder: string): Promise<string> {
  const [own, theirs] = [await manifestOf(root), await manifestOf(folder)];
  const shared = Object.keys(theirs.dependencies).filter(
    (name) => own.dependencies[name] === theirs.dependencies[name],
  );
  const built = await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    plugins: [sourcePlaces(folder, folder)],
    ssr: { noExternal: true, external: shared },
    build: {
      ssr: join(folder, 'server/main.ts'),
      write: false,
      minify: true,
      rolldownOptions: { output: { format: 'esm', codeSplitting: false } },
    },
  });
  const [chunk, ...more] = 'output' in built ? built.output : [];
  if (chunk?.type !== 'chunk' || more.length > 0) throw new Error('the build produced more than one file');
  return chunk.code;
}

const [, , ref] = process.argv;
if (!ref) throw new Error('Usage: node scripts/bundle-release.ts COMMIT');
const commit = execFileSync('git', ['rev-parse', `${ref}^{commit}`], { cwd: root, encoding: 'utf8' }).trim();
const folder = await mkdtemp(join(tmpdir(), 'tandem-release-'));
try {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' });
  const files: Record<string, string> = { 'main.mjs': await bundle(folder) };
  const table = await readFile(join(folder, pageTable), 'utf8').catch(() => null);
  if (table !== null) files[pageTable] = table;
  for (const path of readFolders) {
    for (const entry of await readdir(join(folder, path), { recursive: true, withFileTypes: true })) {
      const file = relative(folder, join(entry.parentPath, entry.name));
      const isNeeded = entry.isFile() && !/\.ts$|_snapshot\.json$/.test(file);
      if (isNeeded) files[file] = await readFile(join(folder, file), 'utf8');
    }
  }
  const journal = JSON.parse(files['db/migrations/meta/_journal.json'] ?? '') as { entries: { tag: string }[] };
  const lastMigration = journal.entries.at(-1)?.tag;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  await mkdir(dirname(bundleFile), { recursive: true });
  await writeFile(bundleFile, brotliCompressSync(JSON.stringify(files), { params }));
  await writeFile(
    join(root, 'db/migrations/previous-release.json'),
    `${JSON.stringify({ commit, lastMigration }, null, 2)}\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
