import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withRetries } from '../../engine/models/retry.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import { closeModelServers, protocols, requestOf, underTest } from '../support/model-engine.ts';
import type { Reply } from '../support/model-server.ts';
import { until, within } from '../support/until.ts';

const test = suite('aborting models');
/** No timer of a second or more ends: what ends here is ended by the abort. */
let thaw = () => {};
test.before(() => {
  thaw = freezeTimers();
});
test.after(async () => {
  thaw();
  await closeModelServers();
});

const stopped = new Error('the chat was cancelled');
const timeouts = { silenceSeconds: 30, answerSeconds: 60 };

/** Aborts `promise` once `when` holds; returns what it rejects with. */
async function aborted(promise: Promise<unknown>, controller: AbortController, when: () => boolean) {
  let reason: unknown;
  const settled = promise.then(
    () => assert.unreachable('it answered'),
    (error: unknown) => {
      reason = error;
    },
  );
  await until(when);
  controller.abort(stopped);
  await within(() => 'the answer ends', settled);
  return reason;
}

const situations: Record<string, Reply> = {
  'before the first byte': { text: 'One', fault: 'silence' },
  'in the middle of the text': { text: 'One two three four', after: 4, fault: 'silence' },
  'in the middle of a tool call': {
    toolCalls: [{ name: 'create_todo', input: { title: 'One' } }],
    after: 4,
    fault: 'silence',
  },
};

for (const protocol of protocols) {
  for (const [situation, reply] of Object.entries(situations)) {
    test(`${protocol}: an abort ${situation} ends it at once with its reason, and the provider sees it`, async () => {
      const { ask, server, lines } = await underTest(protocol, () => reply, timeouts);
      const controller = new AbortController();
      const answer = ask({ signal: controller.signal });
      const reason = await aborted(answer, controller, () => server.asked().length === 1);
      assert.is(reason, stopped);
      await until(() => server.received[0]?.ended);
      assert.is(server.received[0]?.ended, 'client left');
      assert.equal(lines, [], 'an abort is no fault');
    });
  }

  test(`${protocol}: no text arrives after an abort`, async () => {
    const reply = { text: Array.from({ length: 500 }, () => 'x '), eventMs: 2 };
    const { ask, server } = await underTest(protocol, () => reply, timeouts);
    const controller = new AbortController();
    let deltas = 0;
    const answer = ask({ signal: controller.signal, onText: () => deltas++ });
    await aborted(answer, controller, () => deltas > 10);
    const then = deltas;
    await until(() => server.received[0]?.ended);
    assert.is(deltas, then);
  });

  test(`${protocol}: an abort while text is shown holds back what has already arrived`, async () => {
    const reply = { text: Array.from({ length: 500 }, () => 'x ') };
    const { ask, server } = await underTest(protocol, () => reply, timeouts);
    const controller = new AbortController();
    let deltas = 0;
    const onText = () => {
      deltas++;
      controller.abort(stopped);
    };
    const reason = await ask({ signal: controller.signal, onText }).catch((error: unknown) => error);
    assert.is(reason, stopped);
    await until(() => server.received[0]?.ended);
    assert.is(deltas, 1);
  });

  test(`${protocol}: what is aborted beforehand asks nobody`, async () => {
    const { ask, server } = await underTest(protocol, () => 'Yes.');
    const reason = await ask({ signal: AbortSignal.abort(stopped) }).catch((error: unknown) => error);
    assert.is(reason, stopped);
    assert.is(server.received.length, 0);
  });

  test(`${protocol}: a turn's signal keeps no listener of answers that are over`, async () => {
    const { ask } = await underTest(protocol, (_, n) => (n % 2 ? 'Yes.' : { status: 500 }));
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    for (let n = 0; n < 4; n++) await ask({ signal }).catch(() => {});
    assert.is(listeners, 0);
  });

  test(`${protocol}: an abort ends the wait between two tries`, async () => {
    const { engine, server } = await underTest(protocol, () => ({ status: 429, headers: { 'retry-after': '60' } }));
    const controller = new AbortController();
    const answer = withRetries(engine).answer(requestOf({ signal: controller.signal }));
    const ended = () => server.received[0]?.ended === 'answered';
    const reason = await aborted(answer, controller, ended);
    assert.is(reason, stopped);
    assert.is(server.received.length, 1);
  });

  test(`${protocol}: what throws while it listens is not taken for a fault of the provider`, async () => {
    const { ask, server } = await underTest(protocol, () => ({ text: ['One ', 'two '], eventMs: 20 }), timeouts);
    const bug = new TypeError('a bug of ours');
    const found = await ask({
      onText: () => {
        throw bug;
      },
    }).catch((error: unknown) => error);
    assert.is(found, bug);
    await until(() => server.received[0]?.ended);
  });
}

test.run();
