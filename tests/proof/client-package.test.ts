import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPackage, defaultScope } from '../../scripts/packages/build.ts';
import { operations, sampleOf } from '../support/described.ts';
import { blocksOf, documentTexts } from '../support/documented-commands.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('the npm packages of the clients');
const run = promisify(execFile);
const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
let tandem: TestService;
let directory: string;
let project: string;

test.before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tandem-packages-'));
  project = join(directory, 'project');
  await mkdir(project);
  tandem = await startTestService();
});
test.after(async () => {
  await tandem.close();
  await rm(directory, { recursive: true, force: true });
});

/** Runs npm without a network, with a cache of its own. */
async function npm(cwd: string, ...args: string[]): Promise<string> {
  const environment = { PATH: process.env.PATH ?? '', HOME: directory, npm_config_cache: join(directory, 'cache') };
  const options = { cwd, env: { ...environment, npm_config_update_notifier: 'false' } };
  return (await run('npm', [...args, '--offline'], options)).stdout;
}

/** What `tsc` prints, and its figures by name. @throws Error with its messages when it finds errors. */
async function compile(cwd: string): Promise<Record<string, string>> {
  const { stdout } = await run(process.execPath, [tsc, '--extendedDiagnostics'], { cwd }).catch((error) => {
    throw new Error(error.stdout);
  });
  return Object.fromEntries([...stdout.matchAll(/^(.+?):\s+(\S+)$/gm)].map(([, name, value]) => [name, value]));
}

test('they are packed with what they need and nothing else', async () => {
  const expected = {
    client: ['LICENSE', 'LICENSES.md', 'README.md', 'index.d.ts', 'index.js', 'package.json'],
    cli: ['LICENSE', 'README.md', 'package.json', 'tandem.cjs'],
  };
  for (const [name, files] of Object.entries(expected)) {
    const built = await buildPackage(
      name as 'client' | 'cli',
      { scope: defaultScope, repository: 'https://git.example.com/tandem.git' },
      join(directory, name),
    );
    const [packed] = JSON.parse(await npm(directory, 'pack', built, '--json'));
    assert.equal(packed.files.map(({ path }: { path: string }) => path).sort(), files);
    const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'));
    assert.equal(
      [manifest.name, manifest.license, manifest.engines, manifest.publishConfig, manifest.repository],
      [
        `@tandem/${name}`,
        'MIT',
        { node: '>=22' },
        { access: 'public', provenance: true },
        { type: 'git', url: 'https://git.example.com/tandem.git' },
      ],
    );
    await npm(directory, 'publish', built, '--dry-run');
    for (const kind of ['dependencies', 'peerDependencies', 'scripts', 'private']) assert.not.ok(manifest[kind], kind);
  }
});

test('the declarations import nothing and say what the client infers from the router', async () => {
  const generated = join('tests/generated/client');
  await mkdir(generated, { recursive: true });
  await copyFile(join(directory, 'client/index.d.ts'), join(generated, 'index.d.ts'));
  const text = await readFile(join(generated, 'index.d.ts'), 'utf8');
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(text);
  assert.equal([importedFiles, typeReferenceDirectives], [[], []]);
  const figures = await compile('tests/fixtures/packages');
  process.stdout.write(`In the repository, with the router's types: ${figures.Files} files\n`);
});

test('both are installed in an empty project, without a network', async () => {
  await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
  const tarballs = (await readdir(directory)).filter((name) => name.endsWith('.tgz')).map((name) => `../${name}`);
  assert.is(tarballs.length, 2);
  await npm(project, 'install', '--no-audit', '--no-fund', ...tarballs);
  const installed = await readdir(join(project, 'node_modules'));
  assert.equal(
    installed.filter((name) => !name.startsWith('.')),
    ['@tandem'],
  );
});

const resolutions = [
  // As in an app for browsers: no types of Node.
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023'], types: ['node'] },
];

test('a strict program compiles with the client as bundlers and as Node find it, and works', async () => {
  for (const name of ['@types/node', 'undici-types']) {
    await cp(join('node_modules', name), join(project, 'node_modules', name), { recursive: true });
  }
  await copyFile('tests/fixtures/packages/program.ts', join(project, 'program.ts'));
  for (const resolution of resolutions) {
    const outDir = `out-${resolution.moduleResolution}`;
    const strictness = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, declaration: true };
    const compilerOptions = { target: 'es2022', ...resolution, ...strictness, verbatimModuleSyntax: true, outDir };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const figures = await compile(project);
    const shown = ['Files', 'Types', 'Memory used', 'Total time'].map((name) => `${name} ${figures[name]}`);
    process.stdout.write(`${resolution.moduleResolution}: ${shown.join(', ')}\n`);

    const { key } = await tandem.workspace();
    const text = `import { outcome } from './${outDir}/program.js';
      process.stdout.write(JSON.stringify(await outcome(...process.argv.slice(1))));`;
    const args = ['--input-type=module', '-e', text, tandem.url, key];
    const { stdout } = await run(process.execPath, args, { cwd: project });
    assert.equal(JSON.parse(stdout), {
      isSame: true,
      titles: ['Water the plants', 'Feed the cat'],
      error: ['resource_not_found', 404, 'error'],
      events: ['user 1', 'completed'],
    });
  }
});

test('every sample of the reference and of the guides compiles where the package is installed', async () => {
  const guides = [...documentTexts()].filter(([path]) => path.startsWith('docs/guides/'));
  const blocks = guides.flatMap(([, text]) => blocksOf(text, 'ts'));
  assert.ok(blocks.length > 0);
  const sources = [...operations.map((operation) => sampleOf(operation, 'TypeScript')), ...blocks];
  await mkdir(join(project, 'samples'));
  for (const [index, text] of sources.entries()) await writeFile(join(project, `samples/${index}.ts`), text);
  const compilerOptions = { target: 'es2022', ...resolutions[1], strict: true, noEmit: true };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['samples'] }));
  await compile(project);
});

test('the command of the installed package works', async () => {
  const { key } = await tandem.workspace();
  const env = { PATH: process.env.PATH ?? '', HOME: directory, TANDEM_URL: tandem.url, TANDEM_API_KEY: key };
  const { stdout } = await run(join(project, 'node_modules/.bin/tandem'), ['whoami', '--json'], { env });
  assert.is(JSON.parse(stdout).user.name, 'Tess');
});

test.run();
