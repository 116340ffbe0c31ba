import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Rows, runSteps } from '../../db/engine/execute.ts';
import { setLocal } from '../../db/engine/local-settings.ts';
import { partsOf } from '../../db/engine/parts.ts';
import { stepsOf } from '../../db/engine/steps.ts';

const test = suite('statements in steps');

const change = `with before as materialized (select id, title from todos where workspace_id = $1 and id = $2),
  changed as (update todos set title = $3 where workspace_id = $1 and id = $2 returning id, version),
  recorded as (insert into event_queue (workspace_id, object_id) select $1, c.id from changed c returning id)
  select b.title, c.version from before b join changed c on c.id = b.id`;

test('a with list is read past texts, comments and parentheses in them', () => {
  const parts = partsOf(`with a as (select ')' as x, "b)" from t -- )
    ), b(y) as not materialized (select 1 /* ( */) select * from a, b`);
  assert.equal(
    parts?.list.map(({ name, columns }) => [name, columns]),
    [
      ['a', ''],
      ['b', '(y)'],
    ],
  );
  assert.is(parts?.main, 'select * from a, b');
});

test('a statement without a with list has no parts', () => {
  assert.is(partsOf('select 1'), undefined);
});

test('what changes rows of several places is sent in steps, what was read before them first', () => {
  const steps = stepsOf(change) ?? [];
  assert.equal(
    steps.map(({ name }) => name),
    ['before', 'changed', 'recorded', undefined],
  );
  assert.equal(steps[2]?.takes, ['changed']);
  assert.equal(steps[3]?.takes.toSorted(), ['before', 'changed']);
});

test('what one statement does, and what is of the coordinator alone, is sent as it is', () => {
  assert.is(stepsOf('select * from todos where workspace_id = $1'), null);
  assert.is(
    stepsOf('with made as (insert into rate_windows (bucket) values ($1) returning *) select * from made'),
    null,
  );
});

test('each step gets only its own values, and the rows of those that it reads', async () => {
  const sent: { text: string; values: readonly unknown[] }[] = [];
  const columns = [{ name: 'id', type: 2950 }];
  const send = async (text: string, values: readonly unknown[]) => {
    sent.push({ text, values });
    return Object.assign([['8e3f']], { columns }) as unknown as Rows;
  };
  const text = `with gone as (delete from labels where workspace_id = $2 and id = $3 returning id)
    select id, $1::text as said from gone`;
  await runSteps(stepsOf(text) ?? [], ['hello', 'w', 'l'], send);
  assert.is(sent[0]?.text, 'delete from labels where workspace_id = $1 and id = $2 returning id');
  assert.equal(sent[0]?.values, ['w', 'l']);
  assert.match(
    sent[1]?.text ?? '',
    /^with gone as materialized \(select \* from jsonb_to_recordset\(\$2::jsonb\) as r\("id" uuid\)\)/,
  );
  assert.equal(sent[1]?.values, ['hello', '[{"id":"8e3f"}]']);
});

test('the time within CASE, COALESCE and ON CONFLICT is asked for before, and is in the text', async () => {
  const sent: string[] = [];
  const send = async (text: string) => {
    sent.push(text);
    return Object.assign([['then', 'earlier']], { columns: [] }) as unknown as Rows;
  };
  const text = `update todos set archived_at = coalesce(archived_at, now()) where workspace_id = $1
    and updated_at < now() - interval '1 day'`;
  await runSteps(stepsOf(text) ?? [], ['w'], send);
  assert.is(sent[0], `select (now() - interval '1 day')::text, (now())::text`);
  assert.match(sent[1] ?? '', /coalesce\(archived_at, 'earlier'::timestamptz\) .*updated_at < 'then'::timestamptz$/s);
});

test('the time within what a change returns is asked for before', async () => {
  const sent: string[] = [];
  const send = async (text: string) => {
    sent.push(text);
    return Object.assign([['then']], { columns: [] }) as unknown as Rows;
  };
  const text = `update invitations set revoked_at = now() where workspace_id = $1 returning id, expires_at > now() as open`;
  await runSteps(stepsOf(text) ?? [], ['w'], send);
  assert.equal(sent, [
    'select (now())::text',
    `update invitations set revoked_at = 'then'::timestamptz where workspace_id = $1 returning id, expires_at > 'then'::timestamptz as open`,
  ]);
  assert.is(stepsOf('update invitations set revoked_at = now() where workspace_id = $1 returning id'), null);
});

test('settings of a transaction are sent to the workers, around the change that makes them', async () => {
  const sent: string[] = [];
  const send = async (text: string) => {
    sent.push(text);
    return Object.assign([], { columns: [] }) as unknown as Rows;
  };
  const text = `insert into labels (workspace_id, id) select $1, $2 from set_config('lock_timeout', $3, true) where true
    on conflict do nothing returning set_config('lock_timeout', '8s', true)`;
  await runSteps(stepsOf(text) ?? [], ['w', 'l', '50ms'], send);
  assert.equal(sent, [
    `set local lock_timeout = '50ms'`,
    `insert into labels (workspace_id, id) select $1, $2 where true
    on conflict do nothing returning 1`,
    `set local lock_timeout = '8s'`,
  ]);
  assert.throws(() => setLocal({ name: 'lock_timeout', value: '$1' }, [`0'; drop table labels; --`]), /not a word/);
});

test.run();
