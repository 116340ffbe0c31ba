import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { createDatabase } from '../support/scratch.ts';

const test = suite('opening balances');

/** The migrations up to this one, as an earlier version of the service had them. */
async function migrationsUntil(last: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-opening-'));
  await cp('db/migrations', folder, { recursive: true });
  const file = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(file, 'utf8'));
  journal.entries = journal.entries.filter(({ idx }: { idx: number }) => idx <= last);
  await writeFile(file, JSON.stringify(journal));
  return folder;
}

test('a workspace from before the ledger has what it had left as its first grant, and its agents behave as they did', async () => {
  const [scratch, folder] = [await createDatabase(), await migrationsUntil(2)];
  const sql = postgres(scratch.url, { max: 1, onnotice: () => {} });
  try {
    await migrate(sql, folder);
    const [rich, tenth, empty] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const balances = { [rich]: 598.4, [tenth]: 0.1, [empty]: 0 };
    for (const [id, minutes] of Object.entries(balances)) {
      await sql`insert into workspaces (id, name, agent_minutes) values (${id}, 'Old', ${minutes})`;
      await sql`insert into agents (workspace_id, id, name, is_default) values
        (${id}, gen_random_uuid(), 'Assistant', true), (${id}, gen_random_uuid(), 'Scribe', false)`;
    }
    assert.ok((await migrate(sql)).includes('0003_agents_at_work'));
    const ledger =
      await sql`select w.id, w.agent_minutes::float8 as left, e.kind, e.minutes::float8 as minutes, e.turn_id
      from workspaces w left join minute_entries e on e.workspace_id = w.id order by w.agent_minutes desc`;
    assert.equal(
      [...ledger],
      [
        { id: rich, left: 598.4, kind: 'grant', minutes: 598.4, turn_id: null },
        { id: tenth, left: 0.1, kind: 'grant', minutes: 0.1, turn_id: null },
        { id: empty, left: 0, kind: null, minutes: null, turn_id: null },
      ],
    );
    const agents = await sql`select distinct name, requires_approval as asks, version from agents order by name`;
    assert.equal(
      [...agents],
      [
        { name: 'Assistant', asks: false, version: 1 },
        { name: 'Scribe', asks: true, version: 1 },
      ],
    );
  } finally {
    await sql.end();
    await scratch.drop();
    await rm(folder, { recursive: true, force: true });
  }
});

test.run();
