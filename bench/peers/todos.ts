import type { BenchDatabase } from '../harness/database.ts';
import type { Call } from '../harness/loader.ts';
import type { Server } from '../harness/servers.ts';
import type { Owner } from '../harness/spaces.ts';

/** The schema with the todos of the peers: in one of its own, because they show whole schemas. */
export const peerSchema = 'peers';
/** The schema of what Directus keeps for itself. */
export const directusSchema = 'peers_directus';
/** The schema of the requests that the idiomatic endpoint counts. */
export const countsSchema = 'peers_counts';

/**
 * Copies the listed todos for the peers: one table with the columns that they fill a page with, and the index of a
 * page. They have no search, no event log, no assignees and no numbers to keep.
 */
export async function copyTodos({ db }: Pick<BenchDatabase, 'db'>): Promise<void> {
  await dropTodos({ db });
  await db.driver.unsafe(`
    create schema ${peerSchema};
    create schema ${directusSchema};
    create schema ${countsSchema};
    create table ${countsSchema}.requests (credential_id uuid, minute timestamptz, count int not null,
      primary key (credential_id, minute));
    create table ${peerSchema}.todos as
      select id, workspace_id, title, content, status, priority, type, todo_list_id, due_date, revision as version, created_at, updated_at
      from todos where archived_at is null and not is_suggested;
    alter table ${peerSchema}.todos add primary key (id), alter id set default gen_random_uuid(), alter status set default 'ready',
      alter created_at set default now(), alter workspace_id set not null;
    create index on ${peerSchema}.todos (workspace_id, created_at desc, id desc);
    analyze ${peerSchema}.todos`);
}

/** Removes what `copyTodos` and the peers made. */
export async function dropTodos({ db }: Pick<BenchDatabase, 'db'>): Promise<void> {
  await db.driver.unsafe(`set client_min_messages = warning;
    drop schema if exists ${peerSchema} cascade;
    drop schema if exists ${directusSchema} cascade;
    drop schema if exists ${countsSchema} cascade;
    reset client_min_messages`);
}

/** A request of the service in terms that every peer can be asked in. */
export type Asked =
  | { kind: 'get'; todoId: string }
  | { kind: 'list'; workspaceId: string }
  | { kind: 'create'; todo: Record<string, unknown> };

const ranks = ['low', 'medium', 'high', 'urgent'];

/** What a call of `workloadsOf` asks for: `getTodo`, `listTodos newest` or `createTodo`. */
export function askedOf({ method, path, key, body }: Call, owners: ReadonlyMap<string, Owner>): Asked {
  const { workspaceId = '' } = owners.get(key) ?? {};
  if (method === 'POST') {
    const { title, content, priority, dueDate } = JSON.parse(body ?? '{}') as Record<string, string>;
    const rank = ranks.indexOf(priority ?? '') + 1;
    return { kind: 'create', todo: { workspace_id: workspaceId, title, content, priority: rank, due_date: dueDate } };
  }
  const [, todoId] = /^\/todos\/(.+)$/.exec(path) ?? [];
  return todoId === undefined ? { kind: 'list', workspaceId } : { kind: 'get', todoId };
}

/** Another program that serves the same todos. */
export interface Peer {
  name: string;
  server: Server;
  callOf(asked: Asked): Call;
  /** The ids of the todos in its answer. */
  idsOf(answer: unknown): string[];
}
