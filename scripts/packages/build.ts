import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build } from 'vite';
import { bundleName, bundleText } from '../build-cli.ts';
import { clientDeclarations } from './client-declarations.ts';

/*
 * `npm run build:client` and `npm run build:cli` build the npm packages of the typed client and of the command-line
 * client into dist/, each without dependencies and ready for `npm publish dist/client`. `-- --scope @yours` publishes
 * them under another scope, `-- --repository URL` names the repository, which provenance (npm publish from CI) needs.
 */

const root = join(import.meta.dirname, '../..');

export interface PackageOptions {
  /** Scope of the packages' names. */
  scope: string;
  /** Address of the repository; by default that of package.json, if it has one. */
  repository?: string | undefined;
}

export const defaultScope = '@tandem';

/** Files of a package by name. */
type Files = Record<string, string>;

interface Manifest {
  version: string;
  license: string;
  repository?: unknown;
}

/** What both manifests contain. */
async function sharedManifest({ repository }: PackageOptions): Promise<Record<string, unknown>> {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const address = repository === undefined ? own.repository : { type: 'git', url: repository };
  return {
    version: own.version,
    license: own.license,
    ...(address !== undefined && { repository: address }),
    engines: { node: '>=22' },
    publishConfig: { access: 'public', provenance: true },
  };
}

/** The packages that modules come from. */
function packagesOf(modules: readonly string[]): string[] {
  const names = modules.map((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id.replaceAll('\\', '/'))?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** The licences of packages that a file contains. @throws Error when one has none. */
async function licencesOf(names: readonly string[]): Promise<string> {
  const texts = names.map(async (name) => {
    const directory = join(root, 'node_modules', name);
    const file = (await readdir(directory)).find((each) => /^licen[cs]e(\.md|\.txt)?$/i.test(each));
    if (!file) throw new Error(`${name} has no licence file`);
    return `## ${name}\n\n${(await readFile(join(directory, file), 'utf8')).trim()}\n`;
  });
  return `# Licences of the code that index.js contains\n\n${(await Promise.all(texts)).join('\n')}`;
}

/** The client in one file, and the licences of what it contains. */
async function clientModule(): Promise<Files> {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: join(root, 'client/index.ts'), formats: ['es'] },
    },
  });
  const [chunk, ...more] = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  if (chunk?.type !== 'chunk' || more.length > 0 || chunk.imports.length > 0) {
    throw new Error('the client is not one file without imports');
  }
  return { 'index.js': chunk.code, 'LICENSES.md': await licencesOf(packagesOf(Object.keys(chunk.modules))) };
}

async function readmeOf(folder: string, { scope }: PackageOptions): Promise<string> {
  const text = await readFile(join(root, folder, 'README.md'), 'utf8');
  return text.replaceAll(`${defaultScope}/`, `${scope}/`);
}

async function clientPackage(options: PackageOptions): Promise<Files> {
  const name = `${options.scope}/client`;
  const manifest = {
    name,
    description: 'Typed client of Tandem, work management for people and agents.',
    keywords: ['tandem', 'todo', 'agents', 'client'],
    ...(await sharedManifest(options)),
    type: 'module',
    sideEffects: false,
    types: './index.d.ts',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    files: ['index.js', 'index.d.ts', 'LICENSES.md'],
  };
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': await readmeOf('client', options),
    ...(await clientModule()),
    'index.d.ts': clientDeclarations(),
  };
}

async function cliPackage(options: PackageOptions): Promise<Files> {
  const manifest = {
    name: `${options.scope}/cli`,
    description: 'Command-line client of Tandem, work management for people and agents.',
    keywords: ['tandem', 'todo', 'agents', 'cli'],
    ...(await sharedManifest(options)),
    type: 'commonjs',
    bin: { tandem: bundleName },
    files: [bundleName],
  };
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': await readmeOf('cli', options),
    [bundleName]: await bundleText(),
  };
}

const packages = { client: clientPackage, cli: cliPackage };

export type PackageName = keyof typeof packages;

/** Builds a package into `directory`, by default dist/<name>, and returns it. What was there before is replaced. */
export async function buildPackage(
  name: PackageName,
  options: PackageOptions,
  directory: string = join(root, 'dist', name),
): Promise<string> {
  const files = await packages[name](options);
  const fresh = join(dirname(directory), `.${basename(directory)}-${process.pid}`);
  try {
    await mkdir(fresh, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      await writeFile(join(fresh, file), text, { mode: file === bundleName ? 0o755 : 0o644 });
    }
    await cp(join(root, 'LICENSE'), join(fresh, 'LICENSE'));
    await rm(directory, { recursive: true, force: true });
    await rename(fresh, directory);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return directory;
}
