import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltFolder, build, buildAsPart, hashOf, root, sourcesIn } from './built-folder.ts';

/*
 * `npm run build`: bundles cli/ into cli/dist/tandem.cjs and writes its checksum. Also run at install and before start,
 * where it does nothing when the sources are unchanged, and a failure does not stop the start. The same sources give
 * the same bytes.
 */

const cli = join(root, 'cli');

/** The name of the file that is built, and served. */
export const bundleName = 'tandem.cjs';

/** Sources of the file, and of the list of operations. */
const sourceFolders = ['cli', 'db', 'domain', 'routers', 'adapters'];
const sourceFiles = [
  'package.json',
  'package-lock.json',
  'scripts/build-cli.ts',
  'scripts/built-folder.ts',
  'scripts/cli-catalogue.ts',
];

/**
 * Start of the file. Node 12 and newer can parse it, so that old versions print a readable error. `require` also works
 * where the file is loaded as an ECMAScript module, i.e. below a package.json with type "module".
 */
const banner = `#!/usr/bin/env node
// Command-line client of Tandem in one file.
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
  if (chunk?.type !== 'chunk' || more.length > 0) throw new Error('the build produced more than one file');
  return chunk.code;
}

export const client: BuiltFolder = {
  name: 'the command-line client',
  folder: join(cli, 'dist'),
  sources: async () => {
    if (!existsSync(join(cli, 'main.ts')) || !existsSync(join(root, 'routers'))) return null;
    return hashOf([...(await sourcesIn(sourceFolders)), ...sourceFiles.map((each) => join(root, each))]);
  },
  write: async (folder) => {
    const text = await bundleText();
    const checksum = createHash('sha256').update(text).digest('hex');
    await writeFile(join(folder, bundleName), text, { mode: 0o755 });
    await writeFile(join(folder, `${bundleName}.sha256`), `${checksum}  ${bundleName}\n`);
  },
};

/** Builds cli/dist unless it is up to date. */
export const buildCli = () => build(client);

if (import.meta.main) await buildAsPart(client);
