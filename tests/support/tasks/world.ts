import { newNote, newRecording, startWithoutDigests } from '../capture-fixtures.ts';
import type { TestService, TestWorkspace } from '../harness.ts';
import { addMember } from '../todo-fixtures.ts';
import { waitingChat } from '../turn-world.ts';

/** It is Wednesday, 19 November 2031, 11:00 in Berlin; far enough ahead that no schedule is due by any other clock. */
export const today = new Date('2031-11-19T10:00:00Z');

/** A service on that day whose agents do not work, so that only the calls of a task change anything. */
export function startTaskService(): Promise<TestService> {
  return startWithoutDigests({ AGENT_CONCURRENCY: '0' }, { clock: () => today });
}

type Todo = Record<string, unknown>;

const todos = ({ olga }: { olga: string }): Todo[] => [
  { title: 'Order badges', dueDate: '2031-11-17', todoListName: 'Launch', assignees: [{ id: olga }] },
  { title: 'Send the offer', dueDate: '2031-11-20', priority: 'high', todoListName: 'Launch' },
  { title: 'Book the venue', dueDate: '2031-11-21', priority: 'medium', todoListName: 'Launch' },
  { title: 'Plan the party', dueDate: '2031-11-23', priority: 'low' },
  { title: 'Renew the passport', dueDate: '2031-12-01', priority: 'low' },
  { title: 'Buy milk', todoListName: 'Groceries' },
  { title: 'Buy bread', todoListName: 'Groceries' },
  { title: 'Write the press release', content: 'One page. Quote Ada.', todoListName: 'Launch', assignees: [] },
  { title: 'Call the accountant' },
  {
    title: 'Pay the rent',
    type: 'responsibility',
    schedule: { every: 'month', dayOfMonth: 1, at: '08:00', timezone: 'Europe/Berlin' },
  },
  { title: 'Call the bank' },
  { title: 'Clean the desk' },
  { title: 'File the taxes' },
  { title: 'Print the old flyer' },
];

/** When these were completed. */
const completed = {
  'Call the bank': '2031-11-18T15:00:00Z',
  'Clean the desk': '2031-11-19T08:00:00Z',
  'File the taxes': '2031-11-10T09:00:00Z',
};

/** A workspace of one task, as people leave theirs: lists, agents, todos, recordings, chats. */
export async function taskWorkspace(tandem: TestService): Promise<TestWorkspace> {
  const workspace = await tandem.workspace();
  const { call, workspaceId, userId } = workspace;
  const rename = `update workspaces set timezone = 'Europe/Berlin', name = 'Rocket Works' where id = $1`;
  await tandem.db.rows(rename, [workspaceId]);
  const olga = await addMember(tandem, workspaceId, 'Olga');
  for (const name of ['Launch', 'Groceries']) await call('POST /todo-lists', { name });
  const agents = [
    { name: 'Researcher', description: 'Finds sources and sums them up.' },
    { name: 'Writer', description: 'Drafts texts.', requiresApproval: false },
  ];
  const [researcher] = await Promise.all(agents.map(async (agent) => (await call('POST /agents', agent)).body.id));
  await call(`POST /agents/${researcher}/skills`, { name: 'Digest', instructions: 'At most ten lines, by topic.' });
  const { body: made } = await call('POST /todos/batch', { data: todos({ olga }) });
  const idOf = (title: string) => made.data.find((each: Todo) => each.title === title).id;
  for (const [title, at] of Object.entries(completed)) {
    const finish = `update todos set status = 'done', updated_at = $3 where workspace_id = $1 and id = $2`;
    await tandem.db.rows(finish, [workspaceId, idOf(title), at]);
  }
  await call(`DELETE /todos/${idOf('Print the old flyer')}`);
  const transcript = 'Ada: The price is ten euros.\n\nGrace: We ship on 3 December.';
  await newRecording(tandem, workspace, { title: 'Weekly planning', transcript, summary: '- Price and date.' });
  await newNote(workspace, '# Ideas for the launch\n\nBalloons, cake.');
  await call('POST /chats', { title: 'Battery prices', message: 'What do batteries cost?', agentId: researcher });
  const { body: slogans } = await call('POST /chats', { title: 'Slogans', message: 'Ten slogans, please.' });
  await call(`POST /chats/${slogans.id}/cancel`);
  const { chatId } = await waitingChat(tandem.db, { workspaceId, userId });
  await tandem.db.rows(`update chats set title = 'Shopping' where workspace_id = $1 and id = $2`, [
    workspaceId,
    chatId,
  ]);
  return workspace;
}
