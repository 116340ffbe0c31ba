import type { Db } from '../db/client.ts';
import { countWorkspace } from '../domain/todos/counts.ts';
import { operatorCommand } from './operator.ts';

/* `npm run db:recount`: counts the todos of all workspaces again, beside the service. */

const some = 'select id, name from workspaces where id > $1 order by id limit 500';

/** Counts workspace by workspace. Returns how many there are, and the names of those whose numbers were wrong. */
async function recount(db: Db): Promise<{ count: number; wrong: string[] }> {
  const result = { count: 0, wrong: [] as string[] };
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const found: { id: string; name: string }[] = await db.rows<{ id: string; name: string }>(some, [after]);
    for (const { id, name } of found) if (await countWorkspace(db, id)) result.wrong.push(`${name} (${id})`);
    result.count += found.length;
    after = found.at(-1)?.id;
  }
  return result;
}

await operatorCommand({
  usage: `npm run db:recount

Counts the todos of all workspaces again and compares them with the numbers that summaries and lists show. Wrong ones are
replaced. The service may run.`,
  accepts: (args) => args.length === 0,
  run: async ({ db, refuse }) => {
    if (db.engine === 'citus') refuse('On Citus no numbers of todos are kept: they are counted when somebody asks.');
    const { count, wrong } = await recount(db);
    const counted = count === 1 ? 'Counted one workspace.' : `Counted ${count} workspaces.`;
    if (wrong.length === 0) return `${counted} All numbers were right.`;
    return [`${counted} These had wrong numbers, which are replaced:`, ...wrong].join('\n');
  },
});
