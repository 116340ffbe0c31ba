import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../db/migrate.ts';
import { admission } from '../../server/access/admission.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';

const test = suite('the statement of the gate');
let scratch: ScratchDatabase;
let sql: postgres.Sql;

const filling = `
    insert into workspaces (id, name, agent_minutes)
      select md5('w' || n)::uuid, 'w', 0 from generate_series(1, 20000) n;
    insert into members (workspace_id, user_id, role)
      select md5('w' || n)::uuid, md5('u' || n)::uuid, 'owner' from generate_series(1, 20000) n;
    insert into credentials (workspace_id, id, kind, secret_hash, user_id, name, prefix, last4, scopes, rate_limit_per_minute)
      select md5('w' || n)::uuid, md5('c' || n)::uuid, 'api_key', sha256(('s' || n)::bytea), md5('u' || n)::uuid,
        'k', 'p', 'l', '{todos:read}', 300 from generate_series(1, 20000) n;
    insert into rate_windows (bucket, window_start, quota, used, used_before)
      select sha256(('s' || n)::bytea), date_trunc('minute', now()), 300, 1, 0 from generate_series(1, 20000) n on conflict do nothing;`;

test.before(async () => {
  scratch = await createDatabase();
  sql = postgres(scratch.url, { max: 1, onnotice: () => {} });
  await migrate(sql);
});
test.after(async () => {
  await sql.end();
  await scratch.drop();
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Loops': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

interface Explained {
  'QUERY PLAN': { Plan: PlanNode }[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The plan of the prepared statement `name` for the first `size` keys, and how many blocks it reads. */
async function planOf(name: string, size: number): Promise<{ nodes: PlanNode[]; blocks: number }> {
  const keys = Array.from({ length: size }, (_, n) => n + 1);
  const hashes = keys.map((n) => `encode(sha256('s${n}'), 'hex')`).join(', ');
  const values = `array[${keys}]::int[], array[${hashes}], array[${hashes}], array[${keys.map(() => 1)}]::int[], 120`;
  const [row] = await sql.unsafe<Explained[]>(`explain (analyze, buffers, format json) execute ${name}(${values})`);
  const [explained] = row?.['QUERY PLAN'] ?? [];
  assert.ok(explained);
  const { Plan: plan } = explained;
  return { nodes: nodesOf(plan), blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

function assertIndexed({ nodes, blocks }: { nodes: PlanNode[]; blocks: number }, size: number): void {
  const read = nodes.filter((node) => node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0);
  const scans = read.map((node) => node['Relation Name']);
  assert.equal(scans, [], 'no table is read whole');
  assert.ok(nodes.some((node) => node['Node Type'].startsWith('Index') && node['Relation Name'] === 'credentials'));
  assert.ok(blocks <= 20 * size, `${blocks} blocks for ${size} keys`);
}

test('keeps to indexes when it was planned on an empty database that filled up since', async () => {
  await sql.unsafe(`set plan_cache_mode = force_generic_plan; prepare early as ${admission}`);
  await planOf('early', 1);
  await sql.unsafe(filling);
  for (const size of [1, 30]) {
    await planOf('early', size); // moves last_used_at, once a minute
    assertIndexed(await planOf('early', size), size);
  }
});

for (const mode of ['force_generic_plan', 'auto']) {
  for (const size of [1, 30]) {
    test(`looks up ${size} of 20,000 keys through indexes (${mode})`, async () => {
      await sql.unsafe(`analyze; set plan_cache_mode = ${mode}; prepare ${mode}_${size} as ${admission}`);
      assertIndexed(await planOf(`${mode}_${size}`, size), size);
    });
  }
}

test.run();
