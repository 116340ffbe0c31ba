import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newNote, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { openSession } from '../support/recording-fixtures.ts';
import { refused } from '../support/todo-fixtures.ts';

const test = suite('tags of captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

async function tagsOf({ call }: TestWorkspace, id: string): Promise<string[]> {
  return (await call(`GET /captures/${id}`)).body.tags;
}

async function listed({ call }: TestWorkspace): Promise<[string, number][]> {
  const { body } = await call('GET /captures/tags');
  return body.data.map(({ name, captureCount }: { name: string; captureCount: number }) => [name, captureCount]);
}

test('tags are trimmed, once each, and in the spelling that came first in the workspace', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const first = await newNote(workspace, 'x', [' Plan ', 'plan', 'Zoë', 'PLAN B']);
  assert.equal(await tagsOf(workspace, first), ['Plan', 'Zoë', 'PLAN B']);
  const second = await newNote(workspace, 'x', ['plan b', 'ZOË', 'pLAN', 'Zoe\u0308']);
  assert.equal(await tagsOf(workspace, second), ['PLAN B', 'Zoë', 'Plan']);
  assert.equal(
    await tagsOf(other, await newNote(other, 'x', ['pLAN'])),
    ['pLAN'],
    'another workspace, another spelling',
  );
  await workspace.call(`DELETE /captures/${first}?permanent=true`);
  await workspace.call(`DELETE /captures/${second}?permanent=true`);
  assert.equal(await tagsOf(workspace, await newNote(workspace, 'x', ['zoë'])), ['Zoë'], 'for good');
  assert.is(
    (
      await workspace.call('POST /captures', {
        type: 'note',
        content: 'x',
        tags: Array(50)
          .fill(0)
          .map((_, n) => `𝄞${n}`.padEnd(51, 'x')),
      })
    ).status,
    201,
  );
});

test('the list has each tag in use, by name, with how many active captures have it and when it was last added to one', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  assert.equal((await call('GET /captures/tags')).body, { object: 'list', data: [], hasMore: false, nextCursor: null });
  const one = await newNote(workspace, 'x', ['beta', 'Älpha', 'gone']);
  const two = await newNote(workspace, 'x', ['Beta', 'only']);
  await call(`PATCH /captures/${one}`, { tags: ['beta', 'älpha'] });
  await call(`DELETE /captures/${two}`);
  assert.equal(await listed(workspace), [
    ['Älpha', 1],
    ['beta', 1],
    ['only', 0],
  ]);
  const tag = async () => (await call('GET /captures/tags')).body.data[1];
  const { lastUsedAt, ...rest } = await tag();
  assert.equal(rest, { object: 'tag', name: 'beta', captureCount: 1 });
  await call(`PATCH /captures/${one}`, { tags: ['BETA'], notes: 'kept, not put on it' });
  assert.is((await tag()).name, 'only');
  const [beta] = (await call('GET /captures/tags')).body.data;
  assert.equal([beta.name, beta.lastUsedAt], ['beta', lastUsedAt]);
  await tandem.db.rows(`update capture_tags set last_used_at = now() - interval '1 day' where workspace_id = $1`, [
    workspace.workspaceId,
  ]);
  await newNote(workspace, 'x', ['bEtA']);
  const [used] = (await call('GET /captures/tags')).body.data;
  assert.equal([used.name, used.captureCount], ['beta', 2]);
  assert.ok(Date.parse(used.lastUsedAt) > Date.now() - 60_000);
});

test('the tags of a recording are those of the workspace: spelled as there, listed and found', async () => {
  const workspace = await tandem.workspace();
  await newNote(workspace, 'x', ['Plan']);
  const { captureId } = await openSession(workspace, { tags: [' plan', 'Stand-up', 'STAND-UP'] });
  assert.equal(await tagsOf(workspace, captureId), ['Plan', 'Stand-up']);
  assert.equal(await listed(workspace), [
    ['Plan', 2],
    ['Stand-up', 1],
  ]);
  const { body } = await workspace.call('GET /captures?tags=stand-up,plan');
  assert.equal(
    body.data.map(({ id }: { id: string }) => id),
    [captureId],
  );
});

test('a recording that runs is found by the title it was given', async () => {
  const workspace = await tandem.workspace();
  const { captureId } = await openSession(workspace, { title: 'Weekly stand-up' });
  const { body } = await workspace.call('GET /captures?query=weekly');
  assert.equal(
    body.data.map(({ id }: { id: string }) => id),
    [captureId],
  );
});

test('writers who race for new tags agree on one spelling, whatever the order they name them in', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  for (let round = 0; round < 8; round++) {
    const names = [`alpha${round}`, `beta${round}`, `gamma${round}`];
    const spellings = [names, names.map((name) => name.toUpperCase()).reverse(), [names[1], names[0], names[2]]];
    const target = await newNote(workspace, 'x');
    const answers = await Promise.all([
      ...spellings.flatMap((tags) => [1, 2].map(() => call('POST /captures', { type: 'note', content: 'x', tags }))),
      call(`PATCH /captures/${target}`, { tags: names.map((name) => `${name[0]?.toUpperCase()}${name.slice(1)}`) }),
    ]);
    for (const { status, text } of answers)
      assert.is(status, answers.at(-1) && text.includes(target) ? 200 : 201, text);
    const seen = new Set<string>();
    for (const { body } of answers) for (const tag of await tagsOf(workspace, body.id)) seen.add(tag);
    assert.is(seen.size, 3, [...seen].join());
    const counts = (await listed(workspace)).filter(([name]) => seen.has(name));
    assert.equal(
      counts.map(([, count]) => count),
      [7, 7, 7],
    );
  }
});

test('captures have at most 2,000 tags; those that none has any more leave room', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const fill = `insert into capture_tags (workspace_id, key, name) select $1, 't' || n, 't' || n from generate_series(1, $2::int) n`;
  await tandem.db.rows(fill, [workspaceId, 2005]);
  const id = await newNote(workspace, 'x', ['fresh']);
  const wear = `update captures set tags = array(select 't' || n from generate_series(1, 1999) n) where id = $1`;
  await tandem.db.rows(wear, [id]);
  const other = await newNote(workspace, 'y', ['t1', 'one more']);
  for (const tags of [['t2004'], ['unheard of']]) {
    refused(await call('POST /captures', { type: 'note', content: 'z', tags }), 409, null);
    refused(await call(`PATCH /captures/${other}`, { tags: ['one more', ...tags] }), 409, null);
  }
  await newNote(workspace, 'z', ['t7', 'one more']);
  assert.is((await listed(workspace)).length, 2000);

  // Made before there was a limit: those that there are can be used all the same.
  const more = `update captures set tags = array(select 't' || n from generate_series(1, 2003) n) where id = $1`;
  await tandem.db.rows(more, [id]);
  await newNote(workspace, 'z', ['t2002', 'one more']);
  refused(await call('POST /captures', { type: 'note', content: 'z', tags: ['t2005'] }), 409, null);
});

test.run();
