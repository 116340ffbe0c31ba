import { parseArgs } from 'node:util';
import { validate as isId } from 'uuid';
import type { Db } from '../db/client.ts';
import { serviceOrigin } from '../db/origin.ts';
import { plain } from '../domain/approvals/question.ts';
import { grantMinutes } from '../domain/usage/grants.ts';
import { operatorCommand } from './operator.ts';

/* `npm run grant-minutes`: the operator adds agent minutes to a workspace, or lists the workspaces. */

/** Of one grant, as of the settings. */
const maxMinutes = 1_000_000;
const maxReference = 200;

interface Wanted {
  workspaceId: string;
  minutes: number;
  reference: string | null;
}

/** Null: the list is wanted. Undefined: the command does not take this. */
function wanted(args: readonly string[]): Wanted | null | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { workspace: text, minutes: text, reference: text },
    });
    const { workspace: workspaceId = '', minutes = '', reference = null } = values;
    if (args.length === 0) return null;
    if (!isId(workspaceId) || !/^[1-9]\d{0,6}$/.test(minutes) || Number(minutes) > maxMinutes) return undefined;
    if (reference !== null && (reference.trim() === '' || reference.length > maxReference)) return undefined;
    return { workspaceId, minutes: Number(minutes), reference };
  } catch {
    // An unknown option, or one without its value.
    return undefined;
  }
}

interface Listed {
  id: string;
  name: string;
  minutes: number;
}

const page = `select id, name, agent_minutes::float8 as minutes from workspaces where id > $1 order by id limit 500`;
const owners = `select m.workspace_id as "workspaceId", u.email from members m join users u on u.id = m.user_id
  where m.workspace_id = any($1::uuid[]) and m.role = 'owner' and m.removed_at is null order by m.created_at, u.email`;

/** Prints the workspaces, the oldest first, some at a time. Returns their number. */
async function list(db: Db): Promise<number> {
  let count = 0;
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const found: Listed[] = await db.rows<Listed>(page, [after]);
    const ids = found.map(({ id }) => id);
    const people = await db.rows<{ workspaceId: string; email: string }>(owners, [ids]);
    const emailsOf = Map.groupBy(people, ({ workspaceId }) => workspaceId);
    for (const { id, name, minutes } of found) {
      const emails = (emailsOf.get(id) ?? []).map(({ email }) => email || 'nobody yet').join(', ');
      process.stdout.write(`${id}  ${String(minutes).padStart(9)}  ${plain(name)} (${plain(emails)})\n`);
    }
    count += found.length;
    after = ids.at(-1);
  }
  return count;
}

const minutesText = (minutes: number) => (minutes === 1 ? 'one agent minute' : `${minutes} agent minutes`);

void operatorCommand({
  usage: `npm run grant-minutes -- --workspace ID --minutes NUMBER [--reference TEXT]
npm run grant-minutes

Adds agent minutes to a workspace, or lists all workspaces with their agent minutes, names and owners.
  --minutes    a whole number from 1 to ${maxMinutes}
  --reference  at most ${maxReference} characters, such as the number of an invoice: a second grant with it is not made`,
  accepts: (args) => wanted(args) !== undefined,
  run: async ({ db, args, refuse }) => {
    const grant = wanted(args);
    if (!grant) {
      const count = await list(db);
      return count === 1 ? 'One workspace.' : `${count} workspaces.`;
    }
    const { workspaceId, minutes, reference } = grant;
    const done = await grantMinutes(db.as({ ...serviceOrigin(), via: 'cli' }), grant);
    if (done.type === 'no_workspace') return refuse(`There is no workspace with the id ${workspaceId}.`);
    const name = `“${plain(done.name)}” (${workspaceId})`;
    if (done.type === 'made') {
      const again = reference === null ? ' Running this again grants them again.' : '';
      return `Granted ${minutesText(minutes)} to ${name}, which has ${done.remaining} now.${again}`;
    }
    const before = `${minutesText(done.minutes)} on ${done.createdAt}`;
    const repeated = `With this reference ${name} was granted ${before}. Nothing was granted now.`;
    return done.minutes === minutes ? repeated : refuse(repeated);
  },
});
