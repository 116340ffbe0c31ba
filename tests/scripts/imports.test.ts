import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importFaults, readSources } from '../../scripts/imports.ts';

const test = suite('imports');

test('imports run one way, without circles, and settings are read in one file', async () => {
  const sources = await readSources();
  assert.ok(
    sources.has('db/client.ts') && sources.has('server/config.ts') && sources.has('cli/main.ts'),
    'the sources were found',
  );
  assert.equal(importFaults(sources), []);
});

test('an import against the direction is named with its file', () => {
  const faults = importFaults(new Map([['routers/a.ts', "import { b } from '../server/b.ts';"]]));
  assert.equal(faults, ['routers/a.ts imports server/b.ts: routers/ may import db, domain']);
});

test('adapters never import the database, not even for a type or at run time', () => {
  const faults = importFaults(
    new Map([
      ['adapters/rest/a.ts', "import type { Db } from '../../db/client.ts';"],
      ['adapters/b.ts', "export const load = () => import('../../db/client.ts');"],
      ['adapters/c.ts', "export * from '../../db/client.ts';"],
    ]),
  );
  assert.is(faults.length, 3);
  assert.match(faults[0] ?? '', 'adapters/rest/a.ts imports db/client.ts');
});

test('the command-line client takes types from the routers, and nothing that runs', () => {
  const faultsOf = (text: string) => importFaults(new Map([['cli/output/a.ts', text]])).length;
  assert.is(faultsOf("import type { Message } from '../../routers/chats/shapes.ts';"), 0);
  assert.is(faultsOf("export type { Message } from '../../routers/chats/shapes.ts';"), 0);
  assert.is(faultsOf("import { Message } from '../../routers/chats/shapes.ts';"), 1);
  assert.is(faultsOf("import { type Message } from '../../routers/chats/shapes.ts';"), 1);
  assert.is(faultsOf("import '../../routers/chats/shapes.ts';"), 1);
  assert.is(faultsOf("const later = import('../../routers/chats/shapes.ts');"), 1);
  const both = "import type { A } from '../../routers/a.ts';\nimport { b } from '../../routers/a.ts';";
  assert.ok(faultsOf(both) > 0, 'a type beside a value');
  assert.is(faultsOf("import type { Db } from '../../db/client.ts';"), 1, 'another room');
});

test('the typed client and the pages know the service by its types alone, and nobody but the pages imports the client', () => {
  const faultsOf = (file: string, text: string) => importFaults(new Map([[file, text]])).length;
  for (const file of ['client/a.ts', 'web/src/a.tsx']) {
    assert.is(faultsOf(file, "import type { AppRouter } from 'tandem';"), 0);
    assert.is(faultsOf(file, "import { appRouter } from 'tandem';"), 1);
    assert.is(faultsOf(file, "export * from 'tandem';"), 1);
  }
  assert.is(faultsOf('web/src/a.tsx', "import { keyed } from 'tandem/client';"), 0);
  assert.is(faultsOf('server/a.ts', "import { keyed } from 'tandem/client';"), 1);
  assert.is(faultsOf('examples/a.ts', "import { keyed } from 'tandem/client';"), 0);
  assert.is(faultsOf('examples/a.ts', "import type { Todo } from '../../domain/todos/shapes.ts';"), 1);
});

test('two folders never import each other, the folder around one neither', () => {
  const faultsOf = (sources: Record<string, string>) => importFaults(new Map(Object.entries(sources)));
  const mutual = faultsOf({
    'domain/todos/a.ts': "import '../chats/b.ts';",
    'domain/chats/c.ts': "import '../todos/d.ts';",
  });
  assert.is(mutual.length, 1);
  assert.match(mutual[0] ?? '', 'domain/chats/ and domain/todos/ import each other');
  const around = faultsOf({ 'server/a.ts': "import './jobs/b.ts';", 'server/jobs/c.ts': "import '../d.ts';" });
  assert.is(around.length, 1);
  assert.equal(faultsOf({ 'tests/a.ts': "import './b/c.ts';", 'tests/b/d.ts': "import '../e.ts';" }), []);
});

test('a cycle is reported with all its files', () => {
  const sources = new Map([
    ['db/a.ts', "import './b.ts';"],
    ['db/b.ts', "import './c.ts';"],
    ['db/c.ts', "import './b.ts';"],
  ]);
  assert.equal(importFaults(sources), ['These files import each other in a circle: db/b.ts → db/c.ts → db/b.ts']);
});

test('the environment is read nowhere else', () => {
  const texts = ['process.env.PORT', 'process?.env', "process['env']", "import { env } from 'node:process';"];
  for (const text of texts) assert.is(importFaults(new Map([['server/a.ts', text]])).length, 1, text);
  assert.equal(importFaults(new Map([['tests/a.ts', 'process.env.PORT']])), []);
});

test.run();
