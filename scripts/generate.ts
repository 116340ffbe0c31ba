import { readFile, writeFile } from 'node:fs/promises';
import { operationsOf, toolsOf } from '../adapters/operations.ts';
import { openApiDocument } from '../adapters/rest/openapi.ts';
import { agentToolsOf } from '../adapters/tools/agent-tools.ts';
import { toolList } from '../adapters/tools/list.ts';
import { appRouter } from '../routers/index.ts';
import { toolRouter } from '../routers/tools/index.ts';
import { cliSamples } from './cli-samples.ts';
import { webhookSnippets } from './webhook-snippets.ts';

/*
 * `npm run generate`: writes the files that are derived from the operations. `-- --check` writes nothing and fails when
 * one of them is out of date.
 */

/** The OpenAPI document with a variable as origin. */
export function committedDocument() {
  const origin = { default: 'http://localhost:8080', description: 'Address of your installation.' };
  return openApiDocument(operationsOf(appRouter), {
    version: '1.0.0',
    server: { url: '{origin}/api/v1', description: 'Your installation.', variables: { origin } },
    docsUrl: `${origin.default}/docs`,
    commands: cliSamples(),
  });
}

/**
 * The operations that take an `Idempotency-Key`, and those that stream: the typed client cannot derive them from types.
 */
function clientOperations() {
  const operations = operationsOf(appRouter);
  const namesOf = (some: typeof operations) => some.map(({ name }) => name).sort();
  return {
    keyed: namesOf(operations.filter(({ keyed }) => keyed)),
    streams: namesOf(operations.filter(({ stream }) => stream !== null)),
  };
}

/** The arguments of the tools that ask a person for approval, by tool: the form that edits them is made of it. */
function inputsOfApprovals() {
  const tools = [...agentToolsOf(toolsOf(toolRouter), () => {}).values()].filter(({ meta }) => !meta.readOnly);
  return Object.fromEntries(tools.map(({ declaration: { name, inputSchema } }) => [name, inputSchema]));
}

/** The generated files and their contents. */
const generated: Record<string, () => unknown> = {
  'openapi.json': committedDocument,
  'tools.json': () => ({ tools: toolList(toolRouter) }),
  'client/operations.json': clientOperations,
  'adapters/rest/commands.json': cliSamples,
  'web/src/approvals/tool-inputs.json': inputsOfApprovals,
  'web/src/settings/webhooks/snippets.json': webhookSnippets,
};

/** Paths of the generated files that are out of date. */
async function staleFiles(): Promise<string[]> {
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
