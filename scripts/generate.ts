import { readFile, writeFile } from 'node:fs/promises';
import { toolList } from '../adapters/mcp/list.ts';
import { operationsOf } from '../adapters/operations.ts';
import { openApiDocument } from '../adapters/rest/openapi.ts';
import { appRouter, toolRouter } from '../routers/index.ts';

/*
 * `npm run generate`: writes the files that are derived from the operations. `-- --check` writes nothing and fails when
 * one of them is not what it would write.
 */

/** The document without the address of one installation. */
export function committedDocument() {
  const origin = { default: 'http://localhost:8080', description: 'Address of your installation.' };
  return openApiDocument(operationsOf(appRouter), {
    version: '1.0.0',
    server: { url: '{origin}/api/v1', description: 'Your installation.', variables: { origin } },
    docsUrl: `${origin.default}/docs`,
  });
}

/** What the typed client must know of operations beside their types: which take an `Idempotency-Key`, and which stream. */
function clientOperations() {
  const operations = operationsOf(appRouter);
  const namesOf = (some: typeof operations) => some.map(({ name }) => name).sort();
  return {
    keyed: namesOf(operations.filter(({ keyed }) => keyed)),
    streams: namesOf(operations.filter(({ stream }) => stream !== null)),
  };
}

/** Every generated file with what belongs in it. */
const generated: Record<string, () => unknown> = {
  'openapi.json': committedDocument,
  'tools.json': () => ({ tools: toolList(toolRouter) }),
  'client/operations.json': clientOperations,
};

/** The generated files that are not what `npm run generate` would write. */
export async function staleFiles(): Promise<string[]> {
  const stale: string[] = [];
  for (const [file, content] of Object.entries(generated)) {
    if ((await readFile(file, 'utf8').catch(() => '')) !== textOf(content())) stale.push(file);
  }
  return stale;
}

function textOf(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    for (const file of await staleFiles()) {
      process.stderr.write(`${file} is not up to date. Run: npm run generate\n`);
      process.exitCode = 1;
    }
  } else {
    for (const [file, content] of Object.entries(generated)) await writeFile(file, textOf(content()));
  }
}
