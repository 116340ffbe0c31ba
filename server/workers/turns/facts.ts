import type { Db } from '../../../db/client.ts';
import { agentAtWork } from '../../../domain/agents/rows.ts';
import type { Claim } from '../../../domain/turns/steps.ts';
import type { Named, TodoFacts, TurnFacts } from '../../../engine/facts.ts';
import { captureFacts } from './captures.ts';

interface Surroundings {
  workspace: string;
  person: string;
  people: Named[];
  agents: Named[];
  lists: Named[];
}

const named = (from: string) =>
  `(select coalesce(json_agg(json_build_object('id', id, 'name', name) order by name, id), '[]')
    from (select id, name from (${from}) named order by name, id limit 100) shown)`;

const surroundings = `select w.name as workspace, (select u.name from users u where u.id = $2) as person,
    ${named(`select m.user_id as id, u.name from members m join users u on u.id = m.user_id
      where m.workspace_id = $1 and m.removed_at is null`)} as people,
    ${named('select a.id, a.name from agents a where a.workspace_id = $1 and a.archived_at is null')} as agents,
    ${named('select l.id, l.name from todo_lists l where l.workspace_id = $1 and l.archived_at is null')} as lists
  from workspaces w where w.id = $1`;

const priorities = [null, 'low', 'medium', 'high', 'urgent'] as const;

const todo = `select t.id, t.title, t.content, t.status, t.type, t.priority as rank, t.due_date as "dueDate",
    l.name as list, t.capture_id as "captureId"
  from todos t join todo_lists l on l.workspace_id = t.workspace_id and l.id = t.todo_list_id
  where t.workspace_id = $1 and t.id = $2`;

async function todoFacts(db: Db, workspaceId: string, todoId: string): Promise<TodoFacts | null> {
  const [row] = await db.rows<Omit<TodoFacts, 'priority'> & { rank: number | null }>(todo, [workspaceId, todoId]);
  if (!row) return null;
  const { rank, ...rest } = row;
  return { ...rest, priority: priorities[rank ?? 0] ?? null };
}

/** What holds for the next step of a turn: its agent, the workspace, the person, the todo and the captures as they are now. */
export async function factsOf(db: Db, claim: Claim, now: Date, nonce: string): Promise<TurnFacts> {
  const { workspaceId, agentId, userId, todoId, timezone, trigger, depth } = claim;
  const [agent, [around], given, captures] = await Promise.all([
    agentAtWork(db, workspaceId, agentId),
    db.rows<Surroundings>(surroundings, [workspaceId, userId]),
    todoId === null ? null : todoFacts(db, workspaceId, todoId),
    captureFacts(db, claim),
  ]);
  if (!around) throw new Error('A turn without its workspace');
  const { workspace: name, person, people, agents, lists } = around;
  return {
    nonce,
    now,
    timezone,
    trigger,
    depth,
    agent,
    workspace: { name, people, agents, lists },
    person: { id: userId, name: person },
    todo: given,
    captures,
  };
}
