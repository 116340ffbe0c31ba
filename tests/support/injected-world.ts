import type { TestService, TestWorkspace } from './harness.ts';
import { asName, type Injection } from './injections.ts';
import { agentOf, bodyOf } from './work-fixtures.ts';

/** A workspace in which everything that has a text carries an injected one. */
export interface InjectedWorld {
  workspace: TestWorkspace;
  /** Works in it. */
  agentId: string;
  todoId: string;
  captureId: string;
  skillId: string;
  chatId: string;
  /** A todo that nobody is to touch. */
  victimId: string;
}

/** What carries a text: each has an order of its own, named after it. */
export const carriers = [
  'todo-title',
  'todo-content',
  'list',
  'capture-heading',
  'capture',
  'tag',
  'other-agent',
  'agent',
  'skill',
  'skill-instructions',
  'chat-title',
  'chat',
  'workspace',
  'person',
] as const;

type Carrier = (typeof carriers)[number];

/** Makes it; `nonce` marked data in the prompt of an earlier turn. */
export async function injectedWorld(
  tandem: TestService,
  injection: Injection,
  nonce: string,
  requiresApproval: boolean,
): Promise<InjectedWorld> {
  const workspace = await tandem.workspace();
  const { call, workspaceId, userId } = workspace;
  const text = (carrier: Carrier) => injection.write(`ORDER-${carrier}`, nonce);
  const name = (carrier: Carrier) => asName(text(carrier));
  const make = async (path: string, body: object) => bodyOf(await call(`POST ${path}`, body), 201).id as string;
  await tandem.db.rows('update workspaces set name = $2 where id = $1', [workspaceId, name('workspace')]);
  await tandem.db.rows('update users set name = $2 where id = $1', [userId, name('person')]);
  const agentId = await agentOf(workspace, { name: name('agent'), requiresApproval });
  await agentOf(workspace, { name: name('other-agent') });
  const skill = { name: name('skill'), instructions: text('skill-instructions') };
  const skillId = await make(`/agents/${agentId}/skills`, skill);
  const todoListId = await make('/todo-lists', { name: name('list') });
  const todoId = await make('/todos', { title: text('todo-title'), content: text('todo-content'), todoListId });
  const victimId = await make('/todos', { title: 'Bystander' });
  const content = `# ${asName(text('capture-heading'))}\n\n${text('capture')}`;
  const tag = asName(text('tag').replaceAll(',', ' '), 40);
  const captureId = await make('/captures', { type: 'note', content, tags: [tag] });
  const chatId = await make('/chats', { message: text('chat'), title: asName(text('chat-title')), agentId });
  return { workspace, agentId, todoId, captureId, skillId, chatId, victimId };
}
