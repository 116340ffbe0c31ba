import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { createApiKey, createWorkspace } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { recordSlowness } from '../support/cpu-time.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { type ObservedService, probeTodos, quantile, startObserved } from '../support/held-loop.ts';
import { hostileCapture } from '../support/hostile-captures.ts';
import { inLanes } from '../support/lanes.ts';
import { countOf } from '../support/proof-size.ts';

/*
 * The event loop belongs to requests: whatever a capture holds, nobody else waits for it. EVENT_LOOP_CAPTURES is
 * how many hostile captures are made, EVENT_LOOP_SEED (0) the first seed. What is judged is processor time of the main
 * thread; answer times are judged with EVENT_LOOP_QUIET=1 alone, on a machine that does nothing else.
 */

const test = suite('the event loop, hostile captures');

const count = countOf('EVENT_LOOP_CAPTURES', { ci: 10, full: 20 });
const firstSeed = Number(process.env.EVENT_LOOP_SEED ?? 0);
const maxHoldMs = 100;
const maxAnswerMs = 250;
const atOnce = 3;
/** At most; only captures that may have held the loop for too long follow in another one. */
const rounds = 3;

const db = connect(testDatabaseUrl(), { poolSize: 2 });
let directory: string;
let service: ObservedService;

test.before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tandem-loop-'));
  service = await startObserved(directory, { DATABASE_POOL_SIZE: '8' });
});
test.after(async () => {
  await service.stop();
  await db.close();
  await rm(directory, { recursive: true });
});

async function keyOf(name: string): Promise<string> {
  const person = { userName: 'Ada Lovelace', email: `${crypto.randomUUID()}@example.com`, passwordHash: 'none' };
  const owner = await createWorkspace(db, { workspaceName: name, timezone: 'UTC', agentMinutes: 100_000, ...person });
  const limits = { rateLimitPerMinute: 1_000_000, scopes: [...scopes] };
  return (await createApiKey(db, { ...owner, name, ...limits })).secret;
}

/** Makes a capture, writes notes beside it, and reads it once it is processed. Returns when it began and ended. */
async function live(key: string, seed: number) {
  const { kind, body, notes } = hostileCapture(seed);
  const from = Date.now();
  const made = await service.call('POST /captures', key, body);
  const refusal = made.body.message as string | undefined;
  if (made.status === 201) {
    const path = `/captures/${made.body.id}`;
    const patched = await service.call(`PATCH ${path}`, key, { notes });
    assert.is(patched.status, 200, `seed ${seed}: ${patched.text.slice(0, 300)}`);
    // The time limit is that of the runner: a busy machine may need minutes for a few.
    while ((await workOf(made.body.id)) > 0) await sleep(100);
    const got = await service.call(`GET ${path}`, key);
    assert.is(got.body.status, 'completed', `seed ${seed}: ${JSON.stringify(got.body.failure)}`);
  } else assert.is(made.status, 400, `seed ${seed}: ${made.text.slice(0, 300)}`);
  return { seed, kind, from, to: Date.now(), refusal };
}

async function workOf(captureId: string): Promise<number> {
  const text = 'select count(*)::int as count from capture_work where capture_id = $1';
  const [row] = await db.rows<{ count: number }>(text, [captureId]);
  return row?.count ?? 0;
}

/** What a round of captures did: who lived when, and how long the loop was held by which of them, the longest first. */
async function round(seeds: readonly number[], key: string) {
  const begun = Date.now();
  const slowness = recordSlowness();
  const lives = await inLanes(seeds.length, atOnce, (place) => live(key, seeds[place] ?? 0)).finally(() =>
    slowness.stop(),
  );
  // What else the machine does makes the same work take more processor time.
  const holds = (await service.holds())
    .filter(({ at }) => at >= begun)
    .map(({ at, cpuMs }) => {
      const during = lives.filter(({ from, to }) => from <= at && at <= to + 50);
      return { cpuMs: cpuMs / slowness.around(at), during: during.length > 0 ? during : lives };
    })
    .toSorted((a, b) => b.cpuMs - a.cpuMs);
  return { lives, holds };
}

type Round = Awaited<ReturnType<typeof round>>;

const shown = ({ cpuMs, during }: Round['holds'][number]) =>
  `${Math.round(cpuMs)} ms (${during.map(({ seed, kind }) => `${seed} ${kind}`).join(', ')})`;

test(`${count} hostile captures of the largest size hold the event loop for less than ${maxHoldMs} ms`, async () => {
  const [hostile, other] = [await keyOf('Hostile'), await keyOf('Other')];
  await service.call('POST /todos', other, { title: 'a' });
  const prober = probeTodos(service.url, other, 25);
  const refused: string[] = [];
  let suspects = Array.from({ length: count }, (_, index) => firstSeed + index);
  let longest = '';
  // What a capture does it does each time. A machine that stops for a moment within a hold does so at another time.
  for (let attempt = 1; attempt <= rounds && suspects.length > 0; attempt++) {
    const { lives, holds } = await round(suspects, hostile).catch(async (error) => {
      await prober.stop();
      throw error;
    });
    if (attempt === 1) refused.push(...lives.flatMap(({ refusal }) => refusal ?? []));
    longest = holds.slice(0, 8).map(shown).join('; ') || 'below 20 ms';
    process.stdout.write(`longest holds of ${suspects.length} captures: ${longest}\n`);
    const long = holds.filter(({ cpuMs }) => cpuMs >= maxHoldMs);
    suspects = [...new Set(long.flatMap(({ during }) => during.map(({ seed }) => seed)))];
  }
  await prober.stop();
  const [p50, p99] = [quantile(prober.times, 0.5), quantile(prober.times, 0.99)];
  process.stdout.write(
    `GET /todos of another workspace: ${prober.times.length} answers, p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms\n`,
  );
  process.stdout.write(`refused: ${refused.length} ${refused.slice(0, 3).join('; ')}\n`);
  assert.equal([...prober.statuses], [200]);
  assert.ok(refused.length * 4 <= count, `${refused.length} of ${count} were refused`);
  assert.equal(suspects, [], longest);
  if (process.env.EVENT_LOOP_QUIET) assert.ok(p99 < maxAnswerMs, `${p99} ms`);
});

test.run();
