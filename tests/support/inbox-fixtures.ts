import { ModelFault } from '../../engine/engine.ts';
import type { Stage, Window } from './browser.ts';
import { callsOf, type Person } from './people.ts';
import { reply, type ScriptedEngine, untilAnswer, use } from './scripted-engine.ts';
import { agentOf, bodyOf, endOfRun, startRun, untilStatus } from './work-fixtures.ts';

/* What waits for a person: approvals, runs that failed and suggestions. */

/** Starts a chat whose agent asks to call these tools; the chat, once it waits, and the agent. */
export async function asks(
  { tandem }: Stage,
  engine: ScriptedEngine,
  person: Person,
  calls: [tool: string, input: unknown][],
  name = `Agent ${crypto.randomUUID()}`,
): Promise<{ chatId: string; agentId: string }> {
  const call = callsOf(tandem, person);
  const agentId = await agentOf({ call }, { name, requiresApproval: true });
  const message = `Do it: ${engine.plan([use(...calls), reply('Done.')])}`;
  const { id: chatId } = bodyOf(await call('POST /chats', { message, agentId, title: 'Furniture' }), 201);
  await untilStatus({ call }, chatId, 'awaiting_input');
  return { chatId, agentId };
}

/** A todo of this title whose run failed. */
export async function failedRun({ tandem }: Stage, engine: ScriptedEngine, person: Person, title: string) {
  const call = callsOf(tandem, person);
  const todo = bodyOf(await call('POST /todos', { title }), 201);
  const plan = engine.plan((_, asked) => {
    if (asked === 0) throw new ModelFault('The model is not available. Try again later.', { retryable: false });
    return reply('Back again.');
  });
  await startRun({ call }, todo.id, plan, await agentOf({ call }));
  return { todo, run: await endOfRun({ call }, todo.id) };
}

/** Todos of these titles that an agent suggests. */
export async function suggest({ tandem }: Stage, person: Person, ...titles: string[]): Promise<string[]> {
  const call = callsOf(tandem, person);
  const ids: string[] = [];
  for (const title of titles) {
    const { id } = bodyOf(await call('POST /todos', { title, content: 'It was said in the meeting.' }), 201);
    await tandem.db.rows('update todos set is_suggested = true where id = $1', [id]);
    ids.push(id);
  }
  return ids;
}

/** Waits until a chat of a person has no open approval. */
export function untilDecided({ tandem }: Stage, person: Person, chatId: string) {
  const call = callsOf(tandem, person);
  return untilAnswer(
    () => call(`GET /approvals?chatId=${chatId}&status=pending`),
    ({ body }) => body.data.length === 0,
  );
}

/** The card of an approval, by a part of its heading. */
export const cardOf = ({ page }: Pick<Window, 'page'>, heading: string | RegExp) =>
  page.getByRole('article', { name: heading });

/** Waits until the focus is on a control inside a row or card with this text. */
export async function untilFocused({ page }: Pick<Window, 'page'>, text: string): Promise<void> {
  const holders = page.locator('[data-row]').filter({ has: page.locator(':focus') });
  await holders.filter({ hasText: text }).waitFor();
}
