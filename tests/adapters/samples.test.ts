import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type SampleRequest, sampleRequest } from '../../adapters/rest/openapi/sample-request.ts';
import type { CodeSample } from '../../adapters/rest/openapi/samples.ts';
import type { Names } from '../../cli/arguments/names.ts';
import { parseLine } from '../../cli/arguments/parse.ts';
import { buildRequest } from '../../cli/arguments/request.ts';
import { buildTree, find, isOperation } from '../../cli/commands/tree.ts';
import type { Sources } from '../../cli/terminal/sources.ts';
import { catalogueOf } from '../../scripts/cli-catalogue.ts';
import { describedAs, operations } from '../support/described.ts';
import { argumentsOf } from '../support/shell.ts';

const test = suite('descriptions and samples of the operations');

const samplesOf = (operation: (typeof operations)[number]) =>
  (describedAs(operation) as unknown as { 'x-codeSamples': CodeSample[] })['x-codeSamples'];
const requestOf = (operation: (typeof operations)[number]) => sampleRequest(operation, describedAs(operation));
const sourcesOf = (label: CodeSample['label']) =>
  operations.map((operation) => samplesOf(operation).find((each) => each.label === label)?.source ?? '');

test('every operation has a description of two sentences or more, without the note of its scope', () => {
  const short = operations.filter(({ description = '' }) => (description.match(/[^.]\.(?=\s|$)/g) ?? []).length < 2);
  assert.equal(
    short.map(({ id }) => id),
    [],
    'say what it does, when to use another operation instead, and what happens beside (docs/adding-an-operation.md)',
  );
});

test('every operation has a sample in curl, TypeScript and for the command line', () => {
  for (const operation of operations) {
    const labels = samplesOf(operation).map(({ label }) => label);
    assert.equal(labels, ['curl', 'TypeScript', 'CLI'], operation.id);
    for (const { source } of samplesOf(operation)) assert.ok(source.length > 5, operation.id);
  }
});

test('the curl samples are the sample requests, as a shell reads them', () => {
  const environment = { TANDEM_URL: 'http://tandem.test', TANDEM_API_KEY: 'key', TANDEM_SESSION: 'session' };
  const calls = argumentsOf('curl', sourcesOf('curl'), environment);
  for (const [index, operation] of operations.entries()) {
    const { path, query, body } = requestOf(operation);
    const words = calls[index] ?? [];
    const after = (flag: string) => words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []));
    const address = new URL(words.find((word) => word.startsWith('http')) ?? '');
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => String(path[name])).replace(/^\/$/, '');
    assert.is(address.pathname, `/api/v1${filled}`, operation.id);
    assert.equal(
      Object.fromEntries(address.searchParams),
      Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      operation.id,
    );
    assert.is(after('-X')[0] ?? (body ? 'POST' : 'GET'), operation.method, operation.id);
    assert.equal(
      after('-d').map((text) => JSON.parse(text)),
      body ? [body] : [],
      operation.id,
    );
    const { access } = operation;
    const bearer = access === 'session' || access === 'key_management' ? 'session' : 'key';
    const headers = access === 'public' ? [] : [`Authorization: Bearer ${bearer}`];
    assert.equal(after('-H'), body ? [...headers, 'Content-Type: application/json'] : headers, operation.id);
  }
});

const secret = 'typed without echo';
const workspaceId = '019ca8a0-3e80-721a-8323-0e03772a58af';
const catalogue = catalogueOf();
const tree = buildTree(catalogue, []);
const unused = () => {
  throw new Error('a sample needs no file and no other request');
};
const context = {
  catalogue,
  names: { identity: async () => ({ workspaceId }), idOf: unused } as unknown as Names,
  sources: { stdin: unused, line: async () => secret, file: unused } as unknown as Sources,
  now: new Date(),
  askSecret: async () => secret,
};

/** A sample request as the command line sends it: secrets are asked for, the workspace is that of the credential. */
function asTyped(request: SampleRequest): SampleRequest {
  const typed = (fields: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        /password/i.test(name) ? secret : name === 'workspaceId' ? workspaceId : value,
      ]),
    );
  return { path: typed(request.path), query: typed(request.query), body: request.body && typed(request.body) };
}

test('the command-line samples are the same requests, by the parser of the client', async () => {
  const calls = argumentsOf('tandem', sourcesOf('CLI'));
  for (const [index, operation] of operations.entries()) {
    const place = find(tree, calls[index] ?? []);
    if (place.kind !== 'command' || !isOperation(place.command)) throw new Error(`no command in ${calls[index]}`);
    assert.is(place.command.operation.id, operation.id);
    const { path, query, body = {} } = await buildRequest(place.command, parseLine(place.command, place.rest), context);
    const expected = asTyped(requestOf(operation));
    const texts = Object.fromEntries(Object.entries(expected.query).map(([name, value]) => [name, String(value)]));
    assert.equal([path, query, body], [expected.path, texts, expected.body ?? {}], operation.id);
  }
});

test.run();
