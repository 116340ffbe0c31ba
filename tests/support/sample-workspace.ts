import type { Stage } from './browser.ts';
import { newRecording } from './capture-fixtures.ts';
import { notifyPeople } from './notification-fixtures.ts';
import { callsOf, type Person } from './people.ts';
import { settled } from './scripted-engine.ts';
import { assistantOf } from './todo-fixtures.ts';
import { until } from './until.ts';
import { bodyOf } from './work-fixtures.ts';

/*
 * A workspace as people have it after some weeks: everything that pages show is in it, but emoji, for which not every
 * machine that takes pictures has a font. Its agents are `SampleEngine`.
 */

const day = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

type Parameter = 'todoListId' | 'viewId' | 'todoId' | 'chatId' | 'agentId' | 'captureId' | 'endpointId';

/** What the addresses of pages name, and whose workspace it is. */
export interface Sample {
  maya: Person;
  ids: Record<Parameter, string>;
  /** A chat that waits for an approval. */
  asking: string;
}

type Call = ReturnType<typeof callsOf>;

async function created(call: Call, path: string, body: object): Promise<string> {
  return bodyOf(await call(`POST ${path}`, body), 201).id;
}

/** The workspace itself: its name, members, an invitation, keys and an endpoint. */
async function settle(
  { tandem, person }: Stage,
  maya: Person,
  call: Call,
): Promise<{ jonas: string; endpointId: string }> {
  const workspaceId = maya.session.workspace.id;
  bodyOf(await call(`PATCH /workspaces/${workspaceId}`, { name: 'Brightside Events', timezone: 'Europe/London' }));
  const others = [await person('Jonas Weber'), await person('Priya Nair')].map(({ session }) => session.user.id);
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  for (const userId of others) await tandem.db.rows(join, [workspaceId, userId]);
  bodyOf(await call(`POST /workspaces/${workspaceId}/invitations`, { email: 'elif@example.com' }), 201);
  const key = { workspaceId, name: 'Nightly report', scopes: ['todos:read', 'chats:read'], expiresInDays: 30 };
  await created(call, '/api-keys', key);
  await created(call, '/api-keys', { workspaceId, name: 'Ticket shop', scopes: ['todos:write', 'captures:write'] });
  const types = ['todo.created', 'todo.completed'];
  const endpointId = await created(call, '/webhook-endpoints', { url: 'https://hooks.example.com/tandem', types });
  return { jonas: others[0] ?? '', endpointId };
}

const minutes = `insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, trigger, created_at)
  values ($1, gen_random_uuid(), 'turn', -($2::numeric), $3, gen_random_uuid(), gen_random_uuid(), $4,
    now() - $5 * interval '1 day')`;

/** Minutes that the agents worked in the last weeks. */
async function workBefore({ tandem }: Stage, workspaceId: string, agents: readonly string[]): Promise<void> {
  const triggers = ['chat', 'schedule', 'assignment'];
  for (let daysAgo = 26; daysAgo > 0; daysAgo -= 2) {
    const spent = 3 + ((daysAgo * 7) % 11) + 0.5;
    const [agent, trigger] = [agents[daysAgo % agents.length], triggers[(daysAgo / 2) % triggers.length]];
    await tandem.db.rows(minutes, [workspaceId, spent, agent, trigger, daysAgo]);
    const take = 'update workspaces set agent_minutes = agent_minutes - $2::numeric where id = $1';
    await tandem.db.rows(take, [workspaceId, spent]);
  }
}

const summary = `## Decisions

- The spring fair is on **Saturday, 26 April**, from noon to ten.
- Olive & Thyme caters; Priya asks for a vegan half of the menu.

Open: who meets the fire inspector?`;

const transcript = `Maya: Then the fair is on the 26th. Priya, would you ask Olive & Thyme whether half of the menu can be vegan?

Priya: Yes, today. Somebody has to meet the fire inspector before that, on the site.

Jonas: I can send the plans, but I am away that week.`;

/** A recording that was worked on, with an accepted todo and a suggested one; and a note. */
async function captures({ tandem }: Stage, { session }: Person, call: Call): Promise<string> {
  const recorded = { title: 'Planning of the spring fair', subtitle: 'The date, the caterer, and an open question' };
  const of = { workspaceId: session.workspace.id, userId: session.user.id };
  const { id } = await newRecording(tandem, of, { ...recorded, tags: ['planning', 'fair'], summary, transcript });
  await created(call, '/todos', { title: 'Ask Olive & Thyme for a vegan half', captureId: id, dueDate: dateIn(2) });
  const suggested = await created(call, '/todos', { title: 'Meet the fire inspector on the site', captureId: id });
  const suggest = `update todos set is_suggested = true, source = 'auto_suggested' where id = $1`;
  await tandem.db.rows(suggest, [suggested]);
  await created(call, '/captures', {
    type: 'note',
    content: '# Names for the fair\n\n- Brightside in bloom\n- Spring by the quay',
  });
  return id;
}

interface Agents {
  researcher: string;
  accountant: string;
  assistant: string;
}

async function agentsOf({ tandem }: Stage, { session }: Person, call: Call): Promise<Agents> {
  const researcher = await created(call, '/agents', {
    name: 'Researcher',
    instructions: 'Compares offers and suppliers.\nNames its sources, and says what it could not find out.',
    requiresApproval: false,
  });
  const accountant = await created(call, '/agents', {
    name: 'Bookkeeper',
    instructions: 'Files invoices and chases late ones, politely.',
  });
  const skill = {
    name: 'Compare offers',
    instructions: 'Make a table: price for each guest, what is included, free dates.',
  };
  await created(call, `/agents/${researcher}/skills`, skill);
  return { researcher, accountant, assistant: await assistantOf(tandem, session.workspace.id) };
}

const schedules = (agents: Agents): [title: string, schedule: object, assignees: string[]][] => [
  ['Water the plants in the office', { every: 'week', on: ['mon', 'thu'], at: '09:00' }, []],
  ['Weekly digest of ticket sales', { every: 'week', on: ['fri'], at: '16:00' }, [agents.researcher]],
  ['Chase late invoices', { every: 'day', at: '08:30' }, [agents.accountant]],
];

/** The list of todos: open and done ones, scheduled ones, and some that agents work on. */
async function todosOf(stage: Stage, call: Call, agents: Agents, jonas: string) {
  const fair = await created(call, '/todo-lists', { name: 'Spring fair' });
  const office = await created(call, '/todo-lists', { name: 'Office' });
  const finance = await created(call, '/todo-lists', { name: 'Finance' });
  const todo = (title: string, todoListId: string, more: object = {}) =>
    created(call, '/todos', { title, todoListId, ...more });
  const to = (id: string) => ({ assignees: [{ id }] });
  const runs: [id: string, agentId: string, message: string, status: string][] = [];
  const run = async (title: string, agentId: string, message: string, status: string) => {
    const id = await todo(title, fair, { ...to(agentId), dueDate: dateIn(4) });
    runs.push([id, agentId, message, status]);
    return id;
  };
  await todo('Paint the new signs', fair, { ...to(jonas), priority: 'low', dueDate: dateIn(12) });
  await todo('Return the spare desks', office, { priority: 'low' });
  await todo('Pay the deposit for the quay', finance, { priority: 'medium', dueDate: dateIn(6) });
  await todo('Confirm the stage dimensions', fair, { ...to(jonas), priority: 'high', dueDate: dateIn(3) });
  for (const [title, schedule, assignees] of schedules(agents)) {
    const more = assignees.length > 0 ? { assignees: assignees.map((id) => ({ id })) } : {};
    await created(call, '/todos', { title, schedule: { ...schedule, timezone: 'Europe/London' }, ...more });
  }
  await run('Book the brass band', agents.assistant, 'Ask the band for its free dates.', 'failed');
  await run('Collect quotes for the stage', agents.researcher, 'Collect three quotes for the stage.', 'running');
  const compared = await run(
    'Compare three caterers',
    agents.researcher,
    'Compare Greene’s, Olive & Thyme and the Copper Pot for 180 guests.',
    'completed',
  );
  const insurance = { priority: 'urgent', dueDate: dateIn(1), content: 'The offer is in the **Finance** folder.' };
  await todo('Renew the event insurance', finance, insurance);
  for (const title of ['Reserve the quay', 'Announce the date', 'Order the marquee']) {
    const id = await todo(title, fair);
    bodyOf(await call(`PATCH /todos/${id}`, { status: 'done' }));
    await stage.tandem.db.rows('update todos set minutes_saved = 35 where id = $1', [id]);
  }
  for (const [id, agentId, message, status] of runs) {
    bodyOf(await call(`POST /todos/${id}/runs`, { agentId, message }), 202);
    await until(async () => bodyOf(await call(`GET /todos/${id}`)).latestRun.status === status);
  }
  await created(call, `/todos/${compared}/comments`, { text: 'Thank you. I call Olive & Thyme tomorrow.' });
  return { todoListId: fair, todoId: compared };
}

/** Fills a workspace of a new person. */
export async function sampleWorkspace(stage: Stage): Promise<Sample> {
  const maya = await stage.person('Maya Okafor');
  const call = callsOf(stage.tandem, maya);
  await created(call, '/labels', { name: 'Waiting', color: 'orange' });
  const query = { status: 'active', priority: ['urgent', 'high'], sort: 'dueDate' };
  const viewId = await created(call, '/views', { name: 'Urgent', query });
  const { jonas, endpointId } = await settle(stage, maya, call);
  const agents = await agentsOf(stage, maya, call);
  const { todoListId, todoId } = await todosOf(stage, call, agents, jonas);
  const captureId = await captures(stage, maya, call);
  const workspaceId = maya.session.workspace.id;
  await workBefore(stage, workspaceId, Object.values(agents));
  const chat = (title: string, message: string) => created(call, '/chats', { title, message });
  const chatId = await chat('This week', 'What is due this week, and what could an agent do?');
  await settled({ call }, chatId);
  const flowers = { title: 'Flowers', message: 'Order the flowers for the tables.', agentId: agents.accountant };
  const asking = await created(call, '/chats', flowers);
  await settled({ call }, asking);
  const finished = {
    title: '“Renew the event insurance” is due tomorrow',
    text: 'It is urgent, and only you can sign it.',
  };
  await notifyPeople(stage.tandem.db, workspaceId, [maya.session.user.id], finished);
  return {
    maya,
    ids: { todoListId, viewId, todoId, chatId, agentId: agents.researcher, captureId, endpointId },
    asking,
  };
}
