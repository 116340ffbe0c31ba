import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Operation, operationsOf } from '../adapters/operations.ts';
import { errorCodes } from '../routers/errors.ts';
import { appRouter } from '../routers/index.ts';
import { type FuzzRequest, requestOf } from './fuzz-requests.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';
import { assistantOf } from './todo-world.ts';

/*
 * FUZZ_RUNS requests (5,000) from the input schemas of all operations; FUZZ_SEED repeats a run. Every response is held
 * to what all responses promise.
 */

const test = suite('fuzz');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const everywhere = [304, 400, 401, 403, 405, 413, 415, 429];
const others = [200, 201, 202, 402, 404, 409, 412];

interface Told {
  status: number;
  headers: Headers;
  text: string;
}

async function send(url: string, { method, path, headers, body }: FuzzRequest, key: string | undefined): Promise<Told> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: body as string }),
  });
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const text = streams ? await beginning(response) : await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** What a stream tells in its first moments: that of a chat at work would go on. */
async function beginning({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const leave = setTimeout(() => void reader?.cancel(), 200);
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) text += piece.value;
  clearTimeout(leave);
  return text;
}

function assertEnvelope({ status, headers, text }: Told): void {
  const error = JSON.parse(text);
  const fields = 'code detail docUrl errors message object param requestId retryable status title type'.split(' ');
  for (const field of fields) assert.ok(field in error, `no ${field} in ${text}`);
  assert.equal([error.object, error.status, error.requestId], ['error', status, headers.get('x-request-id')]);
  assert.ok(error.code in errorCodes, text);
  assert.is(error.param, error.errors[0]?.param ?? null);
  assert.ok(error.message.length > 0 && error.message.length < 5000, text.slice(0, 300));
}

/** Holds one response to what every response promises. */
function assertPromises(operation: Operation, { method, path }: FuzzRequest, told: Told): void {
  const { status, headers, text } = told;
  const here =
    method === operation.method && new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`).test(path);
  const allowed = [...everywhere, ...(here ? [operation.status, ...operation.statuses] : others)];
  assert.ok(allowed.includes(status), `${status} is not documented: ${text.slice(0, 300)}`);
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    assert.match(headers.get(name) ?? '', /^\d+$/, name);
  }
  assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/);
  if (method === 'HEAD' || status === 304) {
    assert.is(text, '');
    return;
  }
  if (operation.stream && here && status === 200) {
    assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.ok(text.startsWith('retry: 2000\n\n'), text.slice(0, 100));
    return;
  }
  assert.match(headers.get('content-type') ?? '', /^application\/(problem\+)?json/);
  if (status >= 400) assertEnvelope(told);
  else if (here) {
    const body = JSON.parse(text);
    assert.equal(operation.output.parse(body), body, 'the body has fields that its schema does not know');
  }
}

/** Ids that requests can hit: of todos, lists, the person and the default agent. */
async function fill({ call, workspaceId, userId }: TestWorkspace): Promise<string[]> {
  const ids = [workspaceId, userId, await assistantOf(tandem, workspaceId)];
  for (let number = 0; number < 8; number++)
    ids.push((await call('POST /todo-lists', { name: `List ${number}` })).body.id);
  const data = Array.from({ length: 40 }, (_, number) => ({ title: `Todo ${number}` }));
  for (const { id } of (await call('POST /todos/batch', { data })).body.data) ids.push(id);
  return ids;
}

test('no request, valid, nearly valid or garbage, ever gets more or less than a documented answer', async () => {
  const runs = Number(process.env.FUZZ_RUNS ?? 5000);
  const seed = Number(process.env.FUZZ_SEED ?? 20260301);
  process.stdout.write(`seed ${seed} `);
  const workspace = await tandem.workspace();
  const keys = {
    full: workspace.key,
    reader: await workspace.mint(['todos:read']),
    garbage: 'tandem_sk_x',
    none: undefined,
  };
  const ids = await fill(workspace);
  const operations = operationsOf(appRouter);
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const reached = new Set<string>();
  const statuses: number[] = [];
  const one = async (request: FuzzRequest) => {
    const operation = byId.get(request.operationId) as Operation;
    // A session may end by what was sent before: those operations get a new one each time.
    const needsSession = ['session', 'key_management'].includes(operation.access) && request.credential === 'full';
    const told = await send(tandem.url, request, needsSession ? await workspace.session() : keys[request.credential]);
    try {
      assertPromises(operation, request, told);
    } catch (error) {
      const { method, path, headers, body, credential } = request;
      const sent = JSON.stringify({ method, path, headers, credential, body: String(body).slice(0, 1000) });
      throw new Error(
        `${error instanceof Error ? error.message : error}\n${sent}\n${told.status} ${told.text.slice(0, 1000)}`,
      );
    }
    reached.add(request.operationId);
    statuses.push(told.status);
    if (told.status === 201 && operation.tag !== 'auth') ids.push(JSON.parse(told.text).id ?? ids[0]);
  };
  // Signing in hashes a password, slow by design: it comes less often.
  const weighted = operations.map((operation) => ({
    weight: operation.tag === 'auth' ? 1 : 8,
    arbitrary: requestOf(operation, () => ids),
  }));
  const requests = fc.oneof(...weighted);
  const together = 10;
  const batches = fc.array(requests, { minLength: together, maxLength: together });
  const property = fc.asyncProperty(batches, async (batch) => {
    const outcomes = await Promise.allSettled(batch.map(one));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  });
  const found = await fc.check(property, { seed, numRuns: Math.ceil(runs / together), endOnFailure: true });
  if (found.failed) throw found.errorInstance ?? new Error(fc.defaultReportMessage(found));
  assert.ok(statuses.length >= runs, `${statuses.length} requests`);
  const succeeded = statuses.filter((status) => status < 300).length;
  assert.ok(succeeded >= runs / 5, `only ${succeeded} succeeded: the fuzz knocks at closed doors`);
  const refused = statuses.filter((status) => status >= 400).length;
  assert.ok(refused >= runs / 5, `only ${refused} were refused: the fuzz is too tame`);
  assert.is(reached.size, operations.length, 'every operation was called');
});

test.run();
