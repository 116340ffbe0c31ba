import fc, { type Arbitrary } from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operationsOf, toolsOf } from '../../adapters/operations.ts';
import { appRouter } from '../../routers/index.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { mcpCallOf, trpcCallOf } from '../support/fuzz-calls.ts';
import { assertPromises } from '../support/fuzz-promises.ts';
import { type FuzzRequest, requestOf } from '../support/fuzz-requests.ts';
import { curlLine, FuzzWire, type Received } from '../support/fuzz-wire.ts';
import { type FuzzWorld, fuzzWorld } from '../support/fuzz-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { cpuMsOfProcess, isMeasurable, residentMb } from '../support/process-usage.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { countOf, isFull } from '../support/proof-size.ts';
import { until } from '../support/until.ts';

/*
 * FUZZ_RUNS requests from the input schemas of all operations and tools, over REST, tRPC and MCP, on FUZZ_CONNECTIONS
 * connections, against a service in a process of its own; FUZZ_SEED repeats a run. What fails is printed for curl.
 */

const runs = countOf('FUZZ_RUNS', { ci: 4000, full: 300_000 });
const connections = countOf('FUZZ_CONNECTIONS', { ci: 1, full: 4 });
const seed = countOf('FUZZ_SEED', { ci: 20260301, full: Date.now() % 2 ** 31 });

/** Bounds of the promise: of one answer, and of the process after all of them. */
const maxMs = 2000;
const maxResidentMb = 350;

const test = suite('fuzz');
let tandem: TestService;
let attacked: ServiceProcess;
let world: FuzzWorld;
let wire: FuzzWire;

test.before(async () => {
  // This process makes the world; it answers none of the requests and works on nothing.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  attacked = await startProcess({ NODE_ENV: 'test', PASSWORD_COST: '10', DATABASE_POOL_SIZE: '8' });
  world = await fuzzWorld(tandem);
  wire = new FuzzWire(attacked.url, connections);
});
test.after(async () => {
  wire?.close();
  await stopProcesses();
  await tandem.close();
});

const operations = operationsOf(appRouter);
const byId = new Map(operations.map((operation) => [operation.id, operation]));
const tools = toolsOf(toolRouter);

/** Captures, whose texts are the most work, come more often. */
const weights: Record<string, number> = { createCapture: 90 };

/** Operations that hash a password, slow by design, come less often. */
function requestsOfAll(): Arbitrary<FuzzRequest> {
  const ids = world.ids.for;
  const weighted = [
    ...operations.map((operation) => ({
      weight: weights[operation.id] ?? (operation.tag === 'auth' ? 6 : 24),
      arbitrary: requestOf(operation, ids),
    })),
    ...operations.map((operation) => ({
      weight: operation.tag === 'auth' ? 1 : 4,
      arbitrary: trpcCallOf(operation, ids),
    })),
    ...tools.map((tool) => ({ weight: 16, arbitrary: mcpCallOf(tool, ids) })),
  ];
  return fc.oneof(...weighted);
}

/** What was seen of the answers. */
class Tally {
  readonly statuses = new Map<number, number>();
  readonly reached = new Set<string>();
  readonly slowest: { ms: number; cpuMs: number; about: string }[] = [];
  readonly resident: number[] = [];
  count = 0;

  add({ transport, operationId }: FuzzRequest, { status, ms }: Received, cpuMs: number): void {
    this.count++;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.reached.add(`${transport} ${operationId}`);
    this.slowest.push({ ms, cpuMs, about: `${transport} ${operationId} ${status}` });
    this.slowest.sort((one, two) => two.ms - one.ms).splice(5);
  }

  where(holds: (status: number) => boolean): number {
    return [...this.statuses].reduce((sum, [status, count]) => sum + (holds(status) ? count : 0), 0);
  }

  /** Median of a part of the samples of resident memory, in MiB. */
  residentIn(from: number, to: number): number {
    const { length } = this.resident;
    const part = this.resident.slice(Math.floor(length * from), Math.ceil(length * to)).sort((one, two) => one - two);
    return part[Math.floor(part.length / 2)] ?? 0;
  }

  report(): string {
    const slowest = this.slowest.map(({ ms, cpuMs, about }) => `${Math.round(ms)} ms (${cpuMs} ms of CPU) ${about}`);
    const thirds = [0, 1, 2].map((third) => Math.round(this.residentIn(third / 3, (third + 1) / 3)));
    const statuses = [...this.statuses].sort().map(([status, count]) => `${status}: ${count}`);
    return [
      `seed ${seed}, ${this.count} requests; ${statuses.join(', ')}`,
      `slowest: ${slowest.join('; ')}`,
      `resident MiB by thirds: ${thirds.join(', ')}; at the end ${Math.round(this.resident.at(-1) ?? 0)}`,
    ].join('\n');
  }
}

const tally = new Tally();

/** Sends one request and holds its answer to every promise. @throws Error with a line for curl. */
async function one(request: FuzzRequest): Promise<void> {
  const pid = attacked.child.pid ?? 0;
  const sent = world.credentialOf(request.sender);
  const before = isMeasurable ? cpuMsOfProcess(pid) : 0;
  try {
    const answer = await wire.send(request, sent);
    const cpuMs = isMeasurable ? cpuMsOfProcess(pid) - before : 0;
    tally.add(request, answer, cpuMs);
    assertPromises(byId.get(request.operationId), request, answer);
    assert.not.match(answer.text, world.secret, 'an answer has a text of another workspace');
    // With one connection the process works for this request, and beside it in slices.
    if (connections === 1) assert.ok(cpuMs <= maxMs, `${cpuMs} ms of CPU for one answer`);
    if (isFull) assert.ok(answer.ms <= maxMs, `answered after ${Math.round(answer.ms)} ms`);
    if (answer.status === 201 || answer.status === 202) noteIds(answer);
    if (answer.status === 401) await world.renew(request.sender);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `${message}\n${curlLine(attacked.url, request)}\n${tally.report()}\n${attacked.output().slice(-2000)}`,
    );
  }
}

function noteIds({ text, headers }: Received): void {
  if (headers.get('content-type')?.startsWith('application/json')) world.ids.note(JSON.parse(text));
}

test(`${runs} requests, valid, nearly valid or garbage, get a documented answer each`, async () => {
  process.stdout.write(`seed ${seed} `);
  const batches = fc.array(requestsOfAll(), { minLength: connections, maxLength: connections });
  const sampleEvery = Math.max(1, Math.floor(runs / connections / 300));
  let batch = 0;
  const property = fc.asyncProperty(batches, async (requests) => {
    const outcomes = await Promise.allSettled(requests.map(one));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    if (isMeasurable && ++batch % sampleEvery === 0) tally.resident.push(residentMb(attacked.child.pid ?? 0));
  });
  const found = await fc.check(property, { seed, numRuns: Math.ceil(runs / connections), endOnFailure: true });
  if (found.failed) throw found.errorInstance ?? new Error(fc.defaultReportMessage(found));
  process.stdout.write(`${tally.report()}\n`);

  assert.ok(tally.count >= runs, `${tally.count} requests`);
  const succeeded = tally.where((status) => status < 300);
  assert.ok(succeeded >= runs / 5, `only ${succeeded} succeeded: the fuzz knocks at closed doors`);
  const refused = tally.where((status) => status >= 400);
  assert.ok(refused >= runs / 5, `only ${refused} were refused: the fuzz is too tame`);
  const missed = operations.filter(({ id }) => !tally.reached.has(`rest ${id}`) && !tally.reached.has(`trpc ${id}`));
  assert.equal(
    missed.map(({ id }) => id),
    [],
    'every operation was called',
  );
  assert.equal(
    tools.filter(({ name }) => !tally.reached.has(`mcp ${name}`)).map(({ name }) => name),
    [],
  );
});

test('afterwards the process is as it was: it answers, logged no error, and holds no more memory', async () => {
  await world.renew('full');
  const { status } = await attacked.call('GET /me', world.credentialOf('full') ?? null);
  assert.is(status, 200);
  const errors = attacked
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && JSON.parse(line).level >= 50);
  assert.equal(errors.slice(0, 5), []);
  if (!isMeasurable) return;
  // V8 collects what large bodies left once the process has less to do.
  const resident = () => residentMb(attacked.child.pid ?? 0);
  const atOnce = Math.round(resident());
  await until(
    async () =>
      (await attacked.call('GET /me', world.credentialOf('full') ?? null)).status === 200 &&
      resident() <= maxResidentMb,
    () => `${Math.round(resident())} MiB are resident, ${atOnce} at the end of the requests`,
  );
  process.stdout.write(`${atOnce} MiB at the end, then ${Math.round(resident())} `);
  if (!isFull) return;
  const [before, after] = [tally.residentIn(6 / 9, 7 / 9), tally.residentIn(8 / 9, 1)];
  assert.ok(after <= before * 1.05, `resident memory grew from ${before} to ${after} MiB in the last third`);
});

test.run();
