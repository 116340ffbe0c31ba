import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Engine, ModelFault } from '../../engine/engine.ts';
import { type RetrySettings, withRetries } from '../../engine/models/retry.ts';
import { closeModelServers, protocols, requestOf, underTest } from '../support/model-engine.ts';
import type { Reply } from '../support/model-server.ts';

const test = suite('retries of models');
test.after(closeModelServers);

/** Settings that do not wait, and what they would have waited. `random` gives always the most. */
function noWaiting(more: Partial<RetrySettings> = {}) {
  const waits: number[] = [];
  const sleep: RetrySettings['sleep'] = async (ms, signal) => {
    signal.throwIfAborted();
    waits.push(ms);
  };
  return { waits, settings: { sleep, random: () => 1, ...more } };
}

for (const protocol of protocols) {
  test(`${protocol}: faults that may pass are tried again until it answers`, async () => {
    const replies: Reply[] = [{ status: 503 }, { text: 'One two', after: 3, fault: 'reset' }, 'At last.'];
    const { engine, server } = await underTest(protocol, (_, n) => replies[n - 1] ?? 'too often');
    const { waits, settings } = noWaiting();
    assert.is((await withRetries(engine, settings).answer(requestOf())).text, 'At last.');
    assert.is(server.received.length, 3);
    assert.equal(waits, [500, 1000]);
  });

  test(`${protocol}: faults that will not pass are told at once`, async () => {
    const { engine, server } = await underTest(protocol, () => ({ status: 401 }));
    const { waits, settings } = noWaiting();
    const fault = await withRetries(engine, settings)
      .answer(requestOf())
      .catch((error: unknown) => error as ModelFault);
    assert.instance(fault, ModelFault);
    assert.match((fault as ModelFault).message, /AI_API_KEY\.$/);
    assert.is(server.received.length, 1);
    assert.equal(waits, []);
  });

  test(`${protocol}: after the last try the fault says how often it was tried`, async () => {
    const { engine, server } = await underTest(protocol, () => ({ status: 500 }));
    const { waits, settings } = noWaiting();
    const fault = await withRetries(engine, settings)
      .answer(requestOf())
      .catch((error: unknown) => error as ModelFault);
    assert.is(
      (fault as ModelFault).message,
      'The model provider is overloaded or unavailable (500). Try again in a minute. (Tried 5 times.)',
    );
    assert.is(server.received.length, 5);
    assert.equal(waits, [500, 1000, 2000, 4000]);
  });

  test(`${protocol}: it waits as long as the provider asks for, and a little more`, async () => {
    const replies: Reply[] = [
      { status: 429, headers: { 'retry-after': '90' } },
      { status: 503, headers: { 'retry-after-ms': '250' } },
      'At last.',
    ];
    const { engine } = await underTest(protocol, (_, n) => replies[n - 1] ?? 'too often');
    const { waits, settings } = noWaiting({ random: () => 0.5 });
    assert.is((await withRetries(engine, settings).answer(requestOf())).text, 'At last.');
    assert.equal(waits, [90_250, 750]);
  });

  test(`${protocol}: when the provider asks for too long a wait, the fault says when to try again`, async () => {
    const { engine, server } = await underTest(protocol, () => ({ status: 429, headers: { 'retry-after': '1200' } }));
    const { waits, settings } = noWaiting();
    const fault = await withRetries(engine, settings)
      .answer(requestOf())
      .catch((error: unknown) => error as ModelFault);
    assert.is((fault as ModelFault).message, 'The model provider received too many requests. Try again in 20 min.');
    assert.is((fault as ModelFault).retryAfterMs, 1_200_000);
    assert.is(server.received.length, 1);
    assert.equal(waits, []);
  });

  test(`${protocol}: text of a try that failed is declared void before the next`, async () => {
    const replies: Reply[] = [
      { status: 500 },
      { text: 'One two', after: 4, fault: 'reset' },
      { text: ['At ', 'last.'] },
    ];
    const { engine } = await underTest(protocol, (_, n) => replies[n - 1] ?? 'too often');
    let shown = '';
    let restarts = 0;
    const onText = (delta: string) => {
      shown += delta;
    };
    const onRestart = () => {
      assert.ok(shown.startsWith('One'), shown);
      shown = '';
      restarts++;
    };
    await withRetries(engine, noWaiting().settings).answer(requestOf({ onText, onRestart }));
    assert.is(shown, 'At last.');
    assert.is(restarts, 1);
  });
}

/** An engine whose every answer takes `ms` of a clock that only it moves. */
function timedEngine(ms: number, outcome: (n: number) => ModelFault | undefined) {
  let now = 0;
  let asked = 0;
  const engine: Engine = {
    name: 'timed',
    async answer() {
      now += ms;
      const fault = outcome(++asked);
      if (fault) throw fault;
      return { text: 'Yes.', toolCalls: [] };
    },
  };
  const sleep = async (wait: number) => {
    now += wait;
  };
  return { engine, asked: () => asked, settings: { sleep, clock: () => now, random: () => 1 } };
}

const passing = () => new ModelFault('Busy.', { retryable: true });

test('time spent asking is reported for each try, without the waits, whatever its outcome', async () => {
  const { engine, settings } = timedEngine(700, (n) => (n < 3 ? passing() : undefined));
  const active: number[] = [];
  await withRetries(engine, settings).answer(requestOf({ onActive: (ms) => active.push(ms) }));
  assert.equal(active, [700, 700, 700]);
  const failing = timedEngine(700, () => new ModelFault('No.', { retryable: false }));
  const reported: number[] = [];
  const answer = withRetries(failing.engine, failing.settings).answer(
    requestOf({ onActive: (ms) => reported.push(ms) }),
  );
  await answer.catch(() => {});
  assert.equal(reported, [700]);
});

test('no try begins after five minutes of asking', async () => {
  const { engine, settings, asked } = timedEngine(120_000, passing);
  const fault = await withRetries(engine, settings)
    .answer(requestOf())
    .catch((error: unknown) => error as ModelFault);
  assert.is((fault as ModelFault).message, 'Busy. (Tried 3 times.)');
  assert.is(asked(), 3);
});

test('waits grow up to 20 s, and full jitter spreads them down to nothing', async () => {
  const longest = noWaiting({ maxTries: 9 });
  const { engine } = timedEngine(1, passing);
  await withRetries(engine, { ...longest.settings, clock: () => 0 })
    .answer(requestOf())
    .catch(() => {});
  assert.equal(longest.waits, [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
  const shortest = noWaiting({ random: () => 0, maxTries: 3 });
  await withRetries(engine, { ...shortest.settings, clock: () => 0 })
    .answer(requestOf())
    .catch(() => {});
  assert.equal(shortest.waits, [0, 0]);
});

test('an error that is no fault of a model is not tried again', async () => {
  const bug = new TypeError('a bug of ours');
  let asked = 0;
  const engine: Engine = {
    name: 'broken',
    async answer() {
      asked++;
      throw bug;
    },
  };
  const found = await withRetries(engine, noWaiting().settings)
    .answer(requestOf())
    .catch((error: unknown) => error);
  assert.is(found, bug);
  assert.is(asked, 1);
});

test.run();
