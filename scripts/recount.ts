import type { Database, Db } from '../db/client.ts';
import { isDatabaseError } from '../db/errors.ts';
import { plain } from '../domain/approvals/question.ts';
import { countWorkspace } from '../domain/todos/counts.ts';
import { operatorCommand } from './operator.ts';

/* `npm run db:recount`: counts the todos of all workspaces again, beside the service. */

const some = 'select id, name from workspaces where id > $1 order by id limit 500';

/** Waits of two seconds for the lock of a process of the service that counts a large workspace, a minute at most. */
const maxTries = 40;

const isNoted = `select exists (select from pg_trigger
  where tgname = 'todos_counted' and tgrelid = 'todos'::regclass) as "isNoted"`;

interface Counts {
  workspaces: number;
  wrong: number;
  failed: number;
}

async function wasWrong(db: Db, workspaceId: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await countWorkspace(db, workspaceId);
    } catch (error) {
      if (tries === maxTries || !isDatabaseError('lockTimeout', error)) throw error;
    }
  }
}

/**
 * Counts workspace by workspace, with the time that the service gives it, and prints those whose numbers were wrong,
 * and those that could not be counted.
 */
async function recount(database: Database): Promise<Counts> {
  const db = database.for('maintenance');
  const counts = { workspaces: 0, wrong: 0, failed: 0 };
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const found: { id: string; name: string }[] = await db.rows<{ id: string; name: string }>(some, [after]);
    for (const { id, name } of found) {
      const shown = `${plain(name)} (${id})`;
      try {
        if (!(await wasWrong(db, id))) continue;
        counts.wrong++;
        process.stdout.write(`Wrong numbers, replaced: ${shown}\n`);
      } catch (error) {
        counts.failed++;
        process.stdout.write(`Not counted: ${shown}: ${plain((error as Error).message)}\n`);
      }
    }
    counts.workspaces += found.length;
    after = found.at(-1)?.id;
  }
  return counts;
}

void operatorCommand({
  usage: `npm run db:recount

Counts the todos of all workspaces again and compares them with the numbers that summaries and lists show. Wrong ones are
replaced. The service may run.`,
  accepts: (args) => args.length === 0,
  run: async ({ db, refuse }) => {
    if (db.engine === 'citus')
      return 'Nothing to do: on Citus no numbers are kept, todos are counted when somebody asks.';
    // They would be right once, and never change again.
    const [row] = await db.rows<{ isNoted: boolean }>(isNoted, []);
    if (!row?.isNoted)
      return 'Nothing to do: this database was distributed by Citus before, so no numbers are kept, and todos are counted when somebody asks.';
    const { workspaces, wrong, failed } = await recount(db);
    const of = workspaces === 1 ? 'one workspace' : `${workspaces} workspaces`;
    if (failed > 0) refuse(`Of ${of}, ${failed} could not be counted (see above). Run it again.`);
    if (wrong === 0) return `Counted ${of}. All numbers were right.`;
    return `Counted ${of}, of which ${wrong} had wrong numbers.`;
  },
});
