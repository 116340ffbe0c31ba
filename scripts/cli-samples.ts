import { operationsOf } from '../adapters/operations.ts';
import { type SampleRequest, sampleRequest } from '../adapters/rest/openapi/sample-request.ts';
import { openApiDocument } from '../adapters/rest/openapi.ts';
import { isImplied, type OperationCommand } from '../cli/commands/command.ts';
import type { Option } from '../cli/commands/options.ts';
import { buildTree, isOperation } from '../cli/commands/tree.ts';
import { appRouter } from '../routers/index.ts';
import { catalogueOf } from './cli-catalogue.ts';

/*
 * The line of the command-line client for the sample request of each operation. The service cannot import the client,
 * so `scripts/generate.ts` writes these lines to a file that the service reads.
 */

type Fields = Record<string, unknown>;

/** A word of a command line, quoted for a POSIX shell where needed. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** An object with more values is typed as JSON. */
const maxLeaves = 6;

function leavesOf(value: unknown): number {
  return isObject(value) ? Object.values(value).reduce((sum: number, each) => sum + leavesOf(each), 0) : 1;
}

/** The flags of a value that is not typed: the client knows it, asks for it, or reads it from stdin; else undefined. */
function untyped(name: string, option: Option | undefined): string[] | undefined {
  if (isImplied({ name })) return [];
  if (option?.shape.format !== 'password') return undefined;
  return option.isRequired ? [] : [`--${option.flag} -`];
}

/** The flags that set `value` at `path`. @throws Error when the command has none. */
function flagsFor(command: OperationCommand, place: string, path: readonly string[], value: unknown): string[] {
  const key = path.join('.');
  const fit = command.options.filter(
    ({ target, only }) => target.place === place && target.path.join('.') === key && only === undefined,
  );
  const fixed = fit.find(({ effect }) => effect.kind === 'fixed' && effect.value === value);
  if (fixed) return [`--${fixed.flag}`];
  const plain = fit.find(({ effect }) => effect.kind === 'value');
  const silent = untyped(path.at(-1) ?? '', plain);
  if (silent) return silent;
  const isDivided = command.options.some(({ target }) => target.path.join('.').startsWith(`${key}.`));
  if (isObject(value) && isDivided && leavesOf(value) <= maxLeaves) {
    return Object.entries(value).flatMap(([name, each]) => flagsFor(command, place, [...path, name], each));
  }
  if (!plain) throw new Error(`${command.words.join(' ')} has no flag for ${key}`);
  const isPlainList = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  const text = isPlainList ? value.join(',') : textOf(value);
  return [`--${plain.flag}${text.startsWith('-') ? '=' : ' '}${word(text)}`];
}

/** The words that fill the positional arguments, as far as the request has them, and the fields that they take. */
function positional(command: OperationCommand, request: SampleRequest): { words: string[]; taken: Set<string> } {
  const words: string[] = [];
  const taken = new Set<string>();
  for (const { target, isRest } of command.arguments) {
    const value = request[target.place]?.[target.path[0] ?? ''];
    if (value === undefined) break;
    words.push(...(isRest && Array.isArray(value) ? value.map(textOf) : [textOf(value)]));
    taken.add(`${target.place} ${target.path[0]}`);
  }
  return { words: words.map(word), taken };
}

function lineOf(command: OperationCommand, request: SampleRequest): string {
  const { words, taken } = positional(command, request);
  const flags = (['path', 'query', 'body'] as const).flatMap((place) =>
    Object.entries(request[place] ?? {})
      .filter(([name]) => !taken.has(`${place} ${name}`))
      .flatMap(([name, value]) => flagsFor(command, place, [name], value)),
  );
  const lead = ['tandem', ...command.words, ...words].join(' ');
  const line = [lead, ...flags].join(' ');
  return line.length <= 100 ? line : [lead, ...flags].join(' \\\n  ');
}

/** Command lines by operationId. */
export function cliSamples(): Record<string, string> {
  const operations = operationsOf(appRouter);
  const document = openApiDocument(operations, { version: '1.0.0', server: { url: '/api/v1' }, docsUrl: '/docs' });
  const commands = buildTree(catalogueOf(), []).commands.filter(isOperation);
  return Object.fromEntries(
    operations.map((operation) => {
      const command = commands.find((each) => each.operation.id === operation.id);
      const described = document.paths?.[operation.path]?.[operation.method.toLowerCase() as 'get'];
      if (!command || !described) throw new Error(`No command for ${operation.id}`);
      return [operation.id, lineOf(command, sampleRequest(operation, described))];
    }),
  );
}
