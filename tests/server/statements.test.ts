import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { statementName } from '../../db/statement-names.ts';
import { createLog } from '../../server/log.ts';
import { logSlowStatements } from '../../server/runtime/statements.ts';
import { startTestService } from '../support/harness.ts';

const test = suite('slow statements');

interface Line {
  msg: string;
  statement: string;
  ms: number;
  unlogged?: number;
}

/** A log, and the lines on slow statements in it. */
function watchedLog() {
  const lines: string[] = [];
  const log = createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  const slow = () => lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'slow statement');
  return { log, lines, slow };
}

test('are logged by their name, without values, also in a transaction', async () => {
  const { log, lines, slow } = watchedLog();
  const tandem = await startTestService({ SLOW_STATEMENT_MS: '40', AGENT_CONCURRENCY: '0' }, { log });
  try {
    const alone = `select $1::text as given, pg_sleep(0.06), (select count(*) from todos where false)`;
    const inside = `${alone} limit 1`;
    await tandem.db.rows(alone, ['Zq9xMark']);
    await tandem.db.transaction((tx) => tx.rows(inside, ['Zq9xMark']));
    // On a busy machine statements of the service itself are slow too.
    for (const text of [alone, inside]) {
      const [line] = slow().filter(({ statement }) => statement === statementName(text));
      assert.ok((line?.ms ?? 0) >= 40, `${line?.ms} ms: ${text}`);
    }
    assert.match(statementName(alone), /^select todos #/);
    assert.not.match(lines.join(''), 'Zq9x');
  } finally {
    await tandem.close();
  }
});

test('are logged once in ten seconds each, with the number of those between', () => {
  const { log, slow } = watchedLog();
  let now = 0;
  const observe = logSlowStatements(log, 100, () => now);
  const run = (text: string, ms: number) => {
    const end = observe?.(text);
    now += ms;
    end?.();
  };
  run('select 1 from todos', 99);
  assert.equal(slow(), []);
  for (let count = 0; count < 3; count++) run('select 1 from todos', 150);
  run('select 2 from todos', 150);
  assert.equal(
    slow().map(({ ms, unlogged }) => [ms, unlogged]),
    [
      [150, undefined],
      [150, undefined],
    ],
  );
  now += 10_000;
  run('select 1 from todos', 200);
  assert.equal([slow().at(-1)?.ms, slow().at(-1)?.unlogged], [200, 2]);
});

test('are not observed with 0', () => {
  assert.is(logSlowStatements(watchedLog().log, 0), undefined);
});

test('have a name of what they do, their tables and a hash', () => {
  const names: [text: string, name: RegExp][] = [
    ['select id from todos where id = $1 for no key update', /^select todos #[0-9a-f]{8}$/],
    ['insert into todos (id) values ($1) on conflict do update set id = $1', /^insert todos #[0-9a-f]{8}$/],
    ['with a as (select 1 from chats) update members set role = $1', /^update members chats #[0-9a-f]{8}$/],
    ['with a as (select 1 from chats) select 1', /^select chats #[0-9a-f]{8}$/],
    [`select 'a name that somebody wrote'`, /^select #[0-9a-f]{8}$/],
    ['begin deferrable', /^begin$/],
    ['savepoint s1', /^savepoint$/],
  ];
  for (const [text, name] of names) assert.match(statementName(text), name);
  assert.is.not(statementName('select 1 from todos'), statementName('select 2 from todos'));
});

test.run();
