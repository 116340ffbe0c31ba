import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { build } from 'vite';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('the bundle of the typed client');
const run = promisify(execFile);
let tandem: TestService;
let directory: string;

test.before(async () => {
  tandem = await startTestService();
  directory = await mkdtemp(join(tmpdir(), 'tandem-client-'));
});
test.after(async () => {
  await tandem.close();
  await rm(directory, { recursive: true, force: true });
});

/** Where a module comes from: a package, or a folder of ours. */
function sourceOf(id: string): string {
  const path = id.replaceAll('\\', '/').replace(/[?\0].*$/, '');
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return inPackage ?? path.slice(process.cwd().replaceAll('\\', '/').length + 1).split('/')[0] ?? '';
}

test('it holds nothing of the server, and works on its own', async () => {
  const entry = join(directory, 'app.mjs');
  const client = join(process.cwd(), 'client/index.ts');
  await writeFile(entry, `export * from ${JSON.stringify(client)};`);
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: true, lib: { entry, formats: ['es'] } },
  });
  const outputs = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  const [chunk, ...rest] = outputs.filter(({ type }) => type === 'chunk');
  assert.ok(chunk?.type === 'chunk');
  assert.equal([rest, chunk.imports, chunk.dynamicImports], [[], [], []]);
  const modules = Object.keys(chunk.modules).filter((id) => !id.startsWith('\0') && id !== entry);
  assert.equal([...new Set(modules.map(sourceOf))].sort(), ['@trpc/client', '@trpc/server', 'client', 'uuid']);
  const kilobytes = gzipSync(chunk.code).length / 1024;
  assert.ok(kilobytes < 15, `${kilobytes} KiB when compressed`);

  const { key } = await tandem.workspace();
  const program = join(directory, 'program.mjs');
  await writeFile(join(directory, 'bundle.mjs'), chunk.code);
  await writeFile(
    program,
    `import { createTandemClient, isTandemError } from './bundle.mjs';
    const [, , url, token] = process.argv;
    const tandem = createTandemClient({ url, token });
    const { title } = await tandem.todos.create.mutate({ title: 'Bundled' });
    const refusal = await tandem.todos.list.query({ limit: 0 }).catch((error) => error);
    process.stdout.write(JSON.stringify([title, isTandemError(refusal), refusal.param]));`,
  );
  const { stdout } = await run(process.execPath, [program, tandem.url, key]);
  assert.equal(JSON.parse(stdout), ['Bundled', true, 'limit']);
});

test('Node runs it as it lies here, without a loader', async () => {
  const { key } = await tandem.workspace();
  const text = `import { createTandemClient } from 'tandem/client';
    const [, url, token] = process.argv;
    const { user } = await createTandemClient({ url, token }).meta.identity.query({});
    process.stdout.write(user.name);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text, tandem.url, key]);
  assert.is(stdout, 'Tess');
});

test.run();
