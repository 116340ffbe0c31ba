import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';
import type { Filled } from './databases.ts';

/** A PostgreSQL that takes part in the requests, on this machine. */
export interface DatabaseNode {
  name: string;
  /** CPU milliseconds of all its processes so far (Linux). */
  cpu(): Promise<number>;
  /** Transactions of the database that it has committed so far: what workers do for a request, they do in one. */
  transactions(): Promise<number>;
}

/** The fields of `/proc/PID/stat` behind the name of the program; empty for a process that is gone. */
async function fieldsOf(pid: number | string): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const sumOf = (fields: readonly string[]) => fields.reduce((sum, each) => sum + Number(each) * 10, 0);

/** CPU milliseconds of a process and of its children, also of those that have ended. */
async function cpuOfFamily(pid: number): Promise<number> {
  const pids = (await readdir('/proc').catch((): string[] => [])).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map(fieldsOf));
  const children = all.filter(([, parent]) => parent === String(pid));
  return children.reduce(
    (sum, fields) => sum + sumOf(fields.slice(11, 13)),
    sumOf((await fieldsOf(pid)).slice(11, 15)),
  );
}

const nodesText = `select case groupid when 0 then 'coordinator' else 'worker ' || groupid end as name,
    nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid`;
const postmaster = `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`;
const committed = 'select xact_commit::float8 as count from pg_stat_database where datname = current_database()';

/** The server of a database on this machine, whose role may read `postmaster.pid`. */
export async function nodeAt(url: string, name: string): Promise<DatabaseNode> {
  const ask = async <Row extends object>(text: string) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const [row] = await sql.unsafe<Row[]>(text).finally(() => sql.end());
    if (!row) throw new Error(`No answer from ${name}`);
    return row;
  };
  const { pid } = await ask<{ pid: number }>(postmaster);
  return {
    name,
    cpu: () => cpuOfFamily(pid),
    transactions: async () => (await ask<{ count: number }>(committed)).count,
  };
}

/** The nodes of a database; one where it is not distributed. */
export async function nodesOf({ engine, url, db }: Filled): Promise<DatabaseNode[]> {
  if (engine === 'postgres') return [await nodeAt(url, 'PostgreSQL')];
  const found = await db.driver.unsafe<{ name: string; host: string; port: number }[]>(nodesText);
  return Promise.all(
    found.map(({ name, host, port }) => {
      const at = Object.assign(new URL(url), { hostname: host, port: String(port) });
      return nodeAt(at.toString(), name);
    }),
  );
}
