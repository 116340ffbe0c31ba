import type { Db } from '../../../db/client.ts';
import { atWork, type WorkingAgent } from '../../../domain/agents/rows.ts';
import { notFound } from '../../../domain/errors.ts';
import { LostLease } from '../../../domain/jobs.ts';
import type { Scope } from '../../../domain/scopes.ts';
import type { Claim } from '../../../domain/turns/steps.ts';
import type { CaptureFacts, Named, TodoFacts, TurnFacts } from '../../../engine/facts.ts';
import { maxCapturesLength } from '../../../engine/prompt/system.ts';
import { givenCaptures, mayReadCaptures } from './captures.ts';

interface Surroundings {
  /** Null: the turn has ended, or another worker has it. */
  isMember: boolean | null;
  /** What the turn may do; whoever decided about its calls may have narrowed it. */
  scopes: Scope[] | null;
  hasMinutes: boolean;
  agent: WorkingAgent | null;
  captures: CaptureFacts[];
  workspace: string;
  person: string;
  people: Named[];
  agents: Named[];
  lists: Named[];
}

const named = (from: string) =>
  `(select coalesce(json_agg(json_build_object('id', id, 'name', name) order by name, id), '[]')
    from (select id, name from (${from}) named order by name, id limit 100) shown)`;

/**
 * $1 workspace, $2 agent, $3 person, $4 turn, $5 attempt; with captures also $6 chat, $7 todo, $8 most characters. A
 * turn has minutes while some are left, or while its last tenth of one, which was charged, is not used up.
 */
const surroundingsWith = (
  captures: string,
) => `select w.name as workspace, (select u.name from users u where u.id = $3) as person,
    (select exists (select from members m where m.workspace_id = $1 and m.user_id = $3 and m.removed_at is null)
      from chat_turns t where t.workspace_id = $1 and t.id = $4 and t.attempt = $5 and t.ended_at is null) as "isMember",
    (select t.scopes from chat_turns t where t.workspace_id = $1 and t.id = $4) as scopes,
    w.agent_minutes > 0 or coalesce((select t.minutes * 60000 > t.active_ms from chat_turns t
      where t.workspace_id = $1 and t.id = $4), false) as "hasMinutes",
    (select row_to_json(x) from (${atWork}) x) as agent, ${captures} as captures,
    ${named(`select m.user_id as id, u.name from members m join users u on u.id = m.user_id
      where m.workspace_id = $1 and m.removed_at is null`)} as people,
    ${named('select a.id, a.name from agents a where a.workspace_id = $1 and a.archived_at is null')} as agents,
    ${named('select l.id, l.name from todo_lists l where l.workspace_id = $1 and l.archived_at is null')} as lists
  from workspaces w where w.id = $1`;
const surroundings = surroundingsWith(`'[]'::json`);
const surroundingsWithCaptures = surroundingsWith(
  `(select coalesce(json_agg(row_to_json(g)), '[]') from (${givenCaptures}) g)`,
);

/**
 * What holds now for the next step of a turn, in one statement: who works, where, for whom, and with which captures.
 */
async function surroundingsOf(db: Db, claim: Claim): Promise<Surroundings | undefined> {
  const { workspaceId, agentId, userId, turnId, attempt, chatId, todoId } = claim;
  const values = [workspaceId, agentId, userId, turnId, attempt];
  const [row] = mayReadCaptures(claim)
    ? await db.rows<Surroundings>(surroundingsWithCaptures, [...values, chatId, todoId, maxCapturesLength])
    : await db.rows<Surroundings>(surroundings, values);
  return row;
}

const priorities = [null, 'low', 'medium', 'high', 'urgent'] as const;

const todo = `select t.id, t.title, t.content, t.status, t.type, t.priority as rank, t.due_date as "dueDate",
    l.name as list, t.capture_id as "captureId",
    (select u.scopes from chat_turns u where u.workspace_id = $1 and u.id = $3) as scopes
  from todos t join todo_lists l on l.workspace_id = t.workspace_id and l.id = t.todo_list_id
  where t.workspace_id = $1 and t.id = $2`;

type TodoRow = Omit<TodoFacts, 'priority'> & { rank: number | null; scopes: Scope[] | null };

/**
 * The todo of a turn, and what the turn may do, in one statement: whoever changed the one may have narrowed the other
 * (`narrowAuthority`).
 */
async function todoFacts(
  db: Db,
  { workspaceId, todoId, turnId }: Claim,
): Promise<{ todo: TodoFacts; scopes: Scope[] | null } | undefined> {
  const [row] = todoId === null ? [] : await db.rows<TodoRow>(todo, [workspaceId, todoId, turnId]);
  if (!row) return undefined;
  const { rank, scopes, ...rest } = row;
  return { todo: { ...rest, priority: priorities[rank ?? 0] ?? null }, scopes };
}

/**
 * What holds for the next step of a turn: its agent, the workspace, the person, the todo and the captures as they are
 * now; what the turn may do; whether the person for whom the agent works is still a member, and whether minutes are
 * left.
 * @throws LostLease.
 */
export async function factsOf(
  db: Db,
  claim: Claim,
  now: Date,
  nonce: string,
): Promise<{ facts: TurnFacts; scopes: Scope[]; worksForMember: boolean; hasMinutes: boolean }> {
  const { workspaceId, userId, timezone, trigger, depth } = claim;
  const [around, given] = await Promise.all([surroundingsOf(db, claim), todoFacts(db, claim)]);
  if (!around) throw new Error('A turn without its workspace');
  const { workspace: name, person, people, agents, lists, agent, captures, isMember, hasMinutes } = around;
  if (isMember === null) throw new LostLease();
  if (!agent) throw notFound('agent', 'agentId');
  const scopes = (given ?? around).scopes ?? [];
  const facts = {
    nonce,
    now,
    timezone,
    trigger,
    depth,
    agent,
    workspace: { id: workspaceId, name, people, agents, lists },
    person: { id: userId, name: person },
    todo: given?.todo ?? null,
    captures: mayReadCaptures({ scopes }) ? captures : [],
  };
  return { facts, scopes, worksForMember: isMember, hasMinutes };
}
