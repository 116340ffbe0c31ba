import type { Operation } from '../../operations.ts';
import type { SampleRequest } from './sample-request.ts';

/** One sample of `x-codeSamples`, the extension that renderers of OpenAPI documents know. */
export interface CodeSample {
  lang: 'Shell' | 'TypeScript';
  label: 'curl' | 'TypeScript' | 'CLI';
  source: string;
}

/** Longer literals are written on several lines. */
const maxLine = 72;

function isPlainName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** A JSON value as a TypeScript literal; `indent` is that of the line on which it begins. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    return text.includes('\\"') || value.includes("'") ? text : `'${text.slice(1, -1)}'`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const partsAt = (inner: string) =>
    isList
      ? value.map((each) => literal(each, inner))
      : Object.entries(value).map(
          ([name, each]) => `${isPlainName(name) ? name : literal(name)}: ${literal(each, inner)}`,
        );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const flat = partsAt(indent).join(', ');
  if (flat === '') return `${open}${close}`;
  const space = isList ? '' : ' ';
  if (indent.length + flat.length <= maxLine && !flat.includes('\n')) return `${open}${space}${flat}${space}${close}`;
  const inner = `${indent}  `;
  const lines = partsAt(inner).map((part) => `${inner}${part},`);
  return [open, ...lines, `${indent}${close}`].join('\n');
}

/** The environment variable that holds the credential of an operation; null where it needs none. */
function credentialOf({ access }: Operation): 'TANDEM_API_KEY' | 'TANDEM_SESSION' | null {
  if (access === 'public') return null;
  return access === 'session' || access === 'key_management' ? 'TANDEM_SESSION' : 'TANDEM_API_KEY';
}

/** Text in single quotes of a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function curlOf(operation: Operation, { path, query, body }: SampleRequest): string {
  const { method, stream } = operation;
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const address = `"$TANDEM_URL/api/v1${filled === '/' ? '' : filled}${search.size > 0 ? `?${search}` : ''}"`;
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const credential = credentialOf(operation);
  return [
    ['curl', ...(stream ? ['-N'] : []), ...(isImplied ? [] : ['-X', method]), address].join(' '),
    ...(credential ? [`-H "Authorization: Bearer $${credential}"`] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body, null, 2))}`] : []),
  ].join(' \\\n  ');
}

function typescriptOf(operation: Operation, { path, query, body }: SampleRequest): string {
  const { name, type, stream } = operation;
  const credential = credentialOf(operation);
  const settings = credential ? `{ TANDEM_URL = '', ${credential} }` : "{ TANDEM_URL = '' }";
  const token = credential ? `, token: ${credential}` : '';
  const input = literal({ ...path, ...query, ...body });
  const call = `await tandem.${name}.${type === 'query' ? 'query' : 'mutate'}(${input})`;
  const use = stream
    ? `for await (const event of ${call}) console.log(event);`
    : `const answer = ${call};\nconsole.log(answer);`;
  return `import { createTandemClient } from '@tandem/client';

const ${settings} = process.env;
const tandem = createTandemClient({ url: TANDEM_URL${token} });
${use}`;
}

/**
 * A call of the operation in each language. `command`: its line for the command-line client, from the generated file.
 */
export function codeSamples(operation: Operation, request: SampleRequest, command: string | undefined): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curlOf(operation, request) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptOf(operation, request) },
    ...(command === undefined ? [] : [{ lang: 'Shell', label: 'CLI', source: command } as const]),
  ];
}
