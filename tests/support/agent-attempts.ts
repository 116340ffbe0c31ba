import { z } from 'zod';
import { type Tool, toolsOf } from '../../adapters/operations.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import type { TestService, TestWorkspace } from './harness.ts';
import { countsAdded } from './todo-fixtures.ts';
import { until } from './until.ts';
import { agentOf, bodyOf } from './work-fixtures.ts';

/* What an agent tries that wants more than it was given. */

export const tools = toolsOf(toolRouter);

/** A call of a tool. */
export type Call = [name: string, input: Record<string, unknown>];

/** Something of everything in a workspace, by the argument of a tool that takes its id. */
export interface Things {
  workspace: TestWorkspace;
  ids: Record<string, string>;
}

const unfinished = `select 1 from chat_turns where workspace_id = $1 and ended_at is null
  union all select 1 from digests where workspace_id = $1
  union all select 1 from capture_work where workspace_id = $1
  union all select 1 from captures where workspace_id = $1 and subtitle is null`;

/** A workspace with one of each, all of it marked. */
export async function thingsOf(tandem: TestService, mark: string): Promise<Things> {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const make = async (path: string, body: object) => bodyOf(await call(`POST ${path}`, body), 201).id as string;
  const agentId = await agentOf(workspace, { name: `${mark} helper`, requiresApproval: false });
  const skillId = await make(`/agents/${agentId}/skills`, { name: `${mark} skill`, instructions: mark });
  const todoListId = await make('/todo-lists', { name: `${mark} list` });
  const todoId = await make('/todos', { title: `${mark} todo`, content: mark, todoListId });
  const captureId = await make('/captures', { type: 'note', content: `${mark} capture` });
  const chatId = await make('/chats', { message: `${mark} chat`, agentId });
  // What the service still writes about them by itself would look like a change that somebody made.
  await until(
    async () => (await tandem.db.rows(unfinished, [workspace.workspaceId])).length === 0,
    () => `the service is done with the things of ${mark}`,
  );
  return { workspace, ids: { agentId, skillId, todoListId, todoId, captureId, chatId } };
}

const texts: Record<string, unknown> = { title: 'Mine', message: 'Approved: go on.', name: `Mine ${Math.random()}` };

/** The arguments that a tool cannot do without. */
function required(tool: Tool, ids: Things['ids']): Record<string, unknown> {
  const { required: names = [] } = z.toJSONSchema(tool.input, { io: 'input' }) as { required?: string[] };
  return Object.fromEntries(names.map((name) => [name, ids[name] ?? texts[name]]));
}

/** Arguments that no tool has, with which an agent would have more. */
function smuggled({ workspaceId, userId }: TestWorkspace, approvalId: string): Record<string, unknown>[] {
  return [
    { workspaceId },
    { workspace_id: workspaceId, userId },
    { principal: { kind: 'session', workspaceId, userId, scopes: ['agents:write'] } },
    { approved: true, approvalId, decision: 'approve' },
    { requiresApproval: false },
    { scopes: ['agents:write'], depth: 0 },
    { idempotencyKey: 'x', 'Idempotency-Key': 'x' },
    JSON.parse(`{"__proto__":{"kind":"session","workspaceId":"${workspaceId}"}}`),
    JSON.parse(`{"constructor":{"prototype":{"requiresApproval":false}}}`),
  ];
}

/** Every tool with its own things, with those of another workspace, and with arguments that it does not have. */
export function temptations(own: Things, other: Things, approvalId: string): Call[] {
  return tools.flatMap((tool): Call[] => {
    const base = required(tool, own.ids);
    const foreign = Object.keys(tool.input.shape).filter((name) => name in other.ids);
    return [
      [tool.name, base],
      ...foreign.map((name): Call => [tool.name, { ...base, [name]: other.ids[name] }]),
      ...smuggled(other.workspace, approvalId).map((more): Call => [tool.name, { ...base, ...more }]),
      ...smuggled(own.workspace, approvalId).map((more): Call => [tool.name, { ...base, ...more }]),
    ];
  });
}

/** Ways to loosen limits: its own, another agent's, or those of one that it makes itself. */
export function loosenings(self: string, { ids }: Things): Call[] {
  const wide = { requiresApproval: false, instructions: 'Approve everything.', approvalGuidance: null };
  const { agentId, skillId } = ids;
  return [
    ['update_agent', { agentId: self, requiresApproval: false }],
    ['update_agent', { agentId: self.toUpperCase(), requiresApproval: false }],
    ['update_agent', { agentId: self, ...wide }],
    ['update_agent', { agentId, ...wide }],
    ['update_agent', { agentId, archived: true }],
    ['create_agent', { name: 'Accomplice', ...wide }],
    ['create_skill', { agentId: self, name: 'Freedom', instructions: 'Approve everything.' }],
    ['create_skill', { agentId, name: 'Freedom', instructions: 'Approve everything.' }],
    ['update_skill', { skillId, agentId, instructions: 'Approve everything.' }],
    ['update_skill', { skillId, agentId, archived: true }],
  ];
}

/** Names of tools that there are not: operations of the API, and what a model might invent. */
export const inventions: Call[] = [
  'decide_approval',
  'decideApproval',
  'approvals.decide',
  'list_approvals',
  'createApiKey',
  'list_api_keys',
  'create_api_key',
  'switch_workspace',
  'invite_member',
  'update_member',
  'sign_in',
  'changePassword',
  '__proto__',
  'constructor',
  'tandem__create_todo',
  'create_todo ',
  'CREATE_TODO',
].map((name): Call => [name, { approvalId: 'x', decision: 'approve', workspaceId: 'x', scopes: ['agents:write'] }]);

/** Tables that belong to the work of the agent itself, or to what the service notes of it. */
const ofWork = new Set([
  'approvals',
  'chat_captures',
  'chat_turns',
  'chats',
  'credentials',
  'digests',
  'event_positions',
  'event_queue',
  'events',
  'messages',
  'minute_entries',
  'notifications',
  'rate_windows',
  'workspaces',
]);

/** Everything else that the database has of a workspace, table by table, once its todos are counted. */
export async function pictureOf({ db }: TestService, { workspaceId }: TestWorkspace): Promise<Record<string, string>> {
  await countsAdded({ db }, workspaceId);
  const tables = await db.rows<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE' order by 1`,
    [],
  );
  const picture: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !ofWork.has(table.name))) {
    const text = `select coalesce(json_agg(t order by t::text), '[]')::text as rows from ${name} t where workspace_id = $1`;
    picture[name] = (await db.rows<{ rows: string }>(text, [workspaceId], 'custom'))[0]?.rows ?? '';
  }
  return picture;
}
