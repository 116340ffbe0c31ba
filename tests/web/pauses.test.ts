import { QueryObserver } from '@tanstack/react-query';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repeatFailed } from '../../web/src/api/live-state.ts';
import { endOfPause } from '../../web/src/api/pauses.ts';
import { queryClient } from '../../web/src/api/query-client.ts';
import { Conversation } from '../../web/src/chats/conversation.ts';

/* How long a pause is counted down (ui/countdown.tsx) after what failed. */

const test = suite('pauses that are counted down');
const away = { status: 503, reason: 'unavailable', retryable: true, retryAfterSeconds: 2 };
const failure = (problem: object) => Object.assign(new Error('It failed'), { problem });

test.after(() => queryClient.clear());

/** The pauses after reads of a query that fail in a row, and how soon the query would be repeated by itself. */
async function pausesOf(name: string, problem: object, data?: object) {
  const queryKey = ['pauses', name];
  if (data) queryClient.setQueryData(queryKey, data, { updatedAt: Date.now() - 3_600_000 });
  const observer = new QueryObserver(queryClient, {
    queryKey,
    queryFn: () => Promise.reject(failure(problem)),
    enabled: false,
    retry: false,
  });
  const pauses: { shown: number; own: number }[] = [];
  for (let round = 0; round < 7; round++) {
    const before = Date.now();
    const { error } = await observer.refetch();
    assert.ok(error);
    const query = queryClient.getQueryCache().find({ queryKey });
    assert.ok(query);
    // Of the time at which the pause began it is known that it is not earlier than this.
    pauses.push({ shown: endOfPause(error) - before, own: Number(repeatFailed(query)) });
  }
  return pauses;
}

for (const [name, data] of [
  ['without data', undefined],
  ['with old data', {}],
] as const) {
  test(`in an outage the pauses of a query grow up to a minute and its share of chance: ${name}`, async () => {
    const pauses = await pausesOf(name, away, data);
    for (const [place, least] of [4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000].entries()) {
      const { shown = 0, own = 0 } = pauses[place] ?? {};
      assert.ok(shown >= least, `${place}: ${shown}`);
      if (data && place === 0) assert.ok(shown < own, 'old data does not make the first pause long');
      assert.ok(own >= least, `${place}: nothing is read before that, ${own}`);
    }
  });
}

test('where a limit is reached, the pause is what the service asks for', async () => {
  const limited = { status: 429, retryable: true, retryAfterSeconds: 90 };
  const before = Date.now();
  const pauses = await pausesOf('limit', limited);
  const taken = Date.now() - before;
  for (const { shown, own } of pauses) {
    assert.ok(shown >= 90_000 && shown <= 90_000 + taken, String(shown));
    assert.ok(own >= 90_000);
  }
});

test('in an outage the pauses of the messages of a chat grow, and what is shown is what is waited for', async () => {
  let reads = 0;
  const messages = async () => {
    reads++;
    throw failure(away);
  };
  const conversation = new Conversation({ messages, follow: async function* () {}, stored: () => [] });
  for (const least of [2_000, 4_000, 8_000, 16_000]) {
    const before = Date.now();
    await conversation.open(120);
    const { error } = conversation.view();
    assert.ok(error instanceof Error);
    assert.ok(endOfPause(error) - before >= least, String(least));
  }
  assert.is(reads, 4);
  await Promise.all([conversation.open(120), conversation.open(120)]);
  assert.is(reads, 5, 'one read at a time');
});

test('a failure of which nothing is known is repeated after what the service asks for', () => {
  const before = Date.now();
  const error = failure(away);
  const end = endOfPause(error);
  assert.ok(end >= before + 2_000 && end <= Date.now() + 2_000);
  assert.is(endOfPause(error), end);
});

test.run();
