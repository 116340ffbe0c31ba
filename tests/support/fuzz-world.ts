import { openSession } from '../../domain/accounts/open-session.ts';
import { scopes } from '../../domain/scopes.ts';
import { FuzzIds } from './fuzz-ids.ts';
import type { Sender } from './fuzz-requests.ts';
import type { TestService, TestWorkspace } from './harness.ts';
import { assistantOf } from './todo-fixtures.ts';

/** A workspace with something of everything, who may send requests to it, and another one that nobody may see. */
export interface FuzzWorld {
  ids: FuzzIds;
  /** The credential of a sender now. */
  credentialOf(sender: Sender): string | undefined;
  /** Gives a sender access again when a request ended it: its session, its key, or the membership of its person. */
  renew(sender: Sender): Promise<void>;
  /** Stands in every text of the other workspace. */
  secret: string;
}

const minutes = 1_000_000;

async function fill({ call, workspaceId, userId }: TestWorkspace, ids: FuzzIds, mark: string): Promise<void> {
  const add = (name: string, id: string) => ids.add(name, id);
  const make = async (route: string, body: object) => {
    const { status, body: made, text } = await call(`POST ${route}`, body);
    if (status >= 300) throw new Error(text);
    ids.note(made);
    return made;
  };
  add('workspaceId', workspaceId);
  add('userId', userId);
  add('assignees', userId);
  for (let number = 0; number < 8; number++) await make('/todo-lists', { name: `${mark} ${number}` });
  for (let number = 0; number < 3; number++) {
    const { id } = await make('/agents', { name: `${mark} ${number}`, requiresApproval: number === 0 });
    const { id: skillId } = await make(`/agents/${id}/skills`, { name: `${mark} ${number}` });
    add('skillId', skillId);
  }
  await make('/todos/batch', {
    data: Array.from({ length: 40 }, (_, number) => ({ title: `${mark} todo ${number}` })),
  });
  const schedule = { every: 'month', dayOfMonth: -1, at: '09:00' };
  const { id: todoId } = await make('/todos', { title: `${mark} monthly`, schedule });
  for (const { id } of (await call(`GET /todos/${todoId}/occurrences`)).body.data) add('occurrenceId', id);
  await make('/captures', { type: 'note', content: `# ${mark}\n\nWater them.`, tags: ['garden'] });
  await make('/chats', { message: `What is due this week? ${mark}` });
}

async function fillAccount(tandem: TestService, workspace: TestWorkspace, ids: FuzzIds): Promise<void> {
  ids.add('assignees', await assistantOf(tandem, workspace.workspaceId));
  ids.add('userId', await workspace.member());
  ids.add('approvalId', await workspace.approval());
  ids.add('notificationId', await workspace.notification());
  ids.add('connectedAppId', await workspace.connectedApp());
  ids.add('captureId', await workspace.failedCapture());
}

/** Makes the two workspaces. `tandem` is a service on the database of the one that is attacked. */
export async function fuzzWorld(tandem: TestService): Promise<FuzzWorld> {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const ids = new FuzzIds();
  const secret = `SECRET-${crypto.randomUUID()}`;
  await tandem.db.rows('update workspaces set agent_minutes = $2 where id = $1', [workspace.workspaceId, minutes]);
  await fill(workspace, ids, 'Own');
  await fillAccount(tandem, workspace, ids);
  const foreign = new FuzzIds();
  await fill(other, foreign, secret);
  for (const name of ['workspaceId', 'userId', 'todoId', 'todoListId', 'agentId', 'chatId', 'captureId', 'skillId'])
    for (const id of foreign.for(name).slice(0, 3)) ids.add(name, id);
  const { workspaceId, userId } = workspace;
  const app = async () => {
    const token = await workspace.mint(['todos:read', 'todos:write', 'chats:read']);
    await tandem.db.rows(
      `update credentials set kind = 'oauth' where workspace_id = $1 and secret_hash = sha256(convert_to($2, 'UTF8'))`,
      [workspaceId, token],
    );
    return token;
  };
  const open: Partial<Record<Sender, () => Promise<string>>> = {
    full: () => workspace.mint(scopes),
    reader: () => workspace.mint(['todos:read']),
    app,
    session: async () => (await openSession(tandem.db, { workspaceId, userId, client: 'fuzz' })).token,
  };
  const credentials: Partial<Record<Sender, string>> = { garbage: 'tandem_sk_x' };
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')
    on conflict (workspace_id, user_id) do update set removed_at = null, role = 'owner'`;
  const renew = async (sender: Sender) => {
    const token = credentials[sender];
    if (!open[sender]) return;
    if (token && (await tandem.call('GET /me', undefined, { key: token })).status === 200) return;
    await tandem.db.rows(join, [workspaceId, userId]);
    credentials[sender] = await open[sender]();
  };
  for (const sender of Object.keys(open) as Sender[]) await renew(sender);
  return { ids, secret, renew, credentialOf: (sender) => credentials[sender] };
}
