import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { type Flow, form, promiseNoLoss, text } from '../support/fault-flows.ts';
import { asks, cardOf } from '../support/inbox-fixtures.ts';
import { breakOperations, expectedFailures, faults, sentenceOf } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { reply, ScriptedEngine, settled } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/* What a person wrote stays until the service has it: whatever happens to the request that sends it. */

const engine = new ScriptedEngine();
const test = pageSuite('pages: faults while something is sent', async () => ({ engine }));

const flows: Record<string, Flow> = {
  'quick add': {
    operation: 'createTodo',
    isQueued: true,
    write: async ({ tandem }, ada, window) => {
      await window.goTo('/todos', 'Todos');
      const field = window.page.getByRole('combobox', { name: 'Title' });
      await field.fill(text);
      return {
        field,
        send: () => field.press('Enter'),
        count: async () => bodyOf(await callsOf(tandem, ada)('GET /todos')).data.length,
        sent: () => window.page.getByRole('grid', { name: 'Todos' }).getByText(text).waitFor(),
      };
    },
  },
  'the text of a todo': {
    operation: 'updateTodo',
    isQueued: true,
    write: async ({ tandem }, ada, window) => {
      const call = callsOf(tandem, ada);
      const { id } = bodyOf(await call('POST /todos', { title: 'Find a hall' }), 201);
      await window.goTo(`/todos/${id}`, 'Find a hall');
      await window.page.getByRole('button', { name: 'Edit', exact: true }).click();
      const written = form(window, 'Text', 'Save');
      await written.field.fill(text);
      return {
        ...written,
        count: async () => Number(bodyOf(await call(`GET /todos/${id}`)).content === text),
        sent: () => written.field.waitFor({ state: 'detached' }),
      };
    },
  },
  'a comment': {
    operation: 'createTodoComment',
    write: async ({ tandem }, ada, window) => {
      const call = callsOf(tandem, ada);
      const { id } = bodyOf(await call('POST /todos', { title: 'Find a hall' }), 201);
      await window.goTo(`/todos/${id}`, 'Find a hall');
      const written = form(window, 'New comment', 'Comment');
      await written.field.fill(text);
      return {
        ...written,
        count: async () => bodyOf(await call(`GET /todos/${id}/comments`)).data.length,
        sent: () => window.page.getByRole('list', { name: 'Comments' }).getByText(text).waitFor(),
      };
    },
  },
  'a denial with a note': {
    operation: 'decideApproval',
    write: async (stage, ada, window) => {
      const { chatId } = await asks(stage, engine, ada, [['create_todo', { title: 'Buy a boat' }]]);
      await window.goTo('/inbox', 'Inbox');
      const card = cardOf(window, /Buy a boat/);
      await card.getByRole('button', { name: 'Deny with a note' }).press('Enter');
      const written = form(window, 'Note for the agent (optional)', 'Deny');
      await written.field.fill(text);
      const call = callsOf(stage.tandem, ada);
      return {
        ...written,
        count: async () => {
          const { data } = bodyOf(await call(`GET /approvals?chatId=${chatId}`));
          return data.filter(({ note }: { note: string | null }) => note === text).length;
        },
        sent: () => card.waitFor({ state: 'detached' }),
      };
    },
  },
  'a form of the settings': {
    operation: 'updateWorkspace',
    write: async ({ tandem }, ada, window) => {
      await window.goTo('/settings/workspace', 'Workspace');
      const written = window.page.getByRole('button', { name: 'Save', exact: true });
      const field = window.page.getByRole('textbox', { name: 'Name' }).first();
      await field.fill(text);
      return {
        field,
        send: () => written.press('Enter'),
        count: async () => {
          const { data } = bodyOf(await callsOf(tandem, ada)('GET /workspaces'));
          return data.filter(({ name }: { name: string }) => name === text).length;
        },
        sent: () => window.page.getByText('The workspace is saved.').waitFor(),
      };
    },
  },
  'a capture': {
    operation: 'createCapture',
    write: async ({ tandem }, ada, window) => {
      await window.goTo('/captures/new', 'New note');
      const written = form(window, 'Note', 'Save note');
      await written.field.fill(text);
      return {
        ...written,
        count: async () => bodyOf(await callsOf(tandem, ada)('GET /captures')).data.length,
        sent: () => written.field.waitFor({ state: 'detached' }),
      };
    },
  },
  'a new chat': {
    operation: 'createChat',
    write: async ({ tandem }, ada, window) => {
      await window.goTo('/chats', 'Chats');
      const written = form(window, 'Message', 'Ask');
      await written.field.fill(text);
      return {
        ...written,
        count: async () => bodyOf(await callsOf(tandem, ada)('GET /chats')).data.length,
        sent: () => window.page.locator('.message.user').getByText(text).waitFor(),
      };
    },
  },
};

promiseNoLoss(test, flows);

/** A chat whose agent has answered, with `text` in its composer. */
async function chatWith(stage: Stage, fault: (typeof faults)[number]) {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const message = `Say so: ${engine.plan([reply('Nothing is due.')])}`;
  const { id } = bodyOf(await call('POST /chats', { message, title: 'This week' }), 201);
  await settled({ call }, id);
  const window = await stage.window({ as: ada, expected: expectedFailures });
  await window.goTo(`/chats/${id}`, 'This week');
  await window.page.getByText('Nothing is due.').first().waitFor();
  const field = window.page.getByLabel('Message', { exact: true });
  await field.fill(text);
  const broken = await breakOperations(window.page, (operation) => operation === 'sendMessage', fault);
  await field.press('Enter');
  await broken.asked;
  const sentTexts = async (): Promise<string[]> => {
    const { data } = bodyOf(await call(`GET /chats/${id}/messages?limit=100`));
    return data.filter(({ role }: { role: string }) => role === 'user').map(({ text: sent }: { text: string }) => sent);
  };
  return { page: window.page, broken, sentTexts };
}

for (const fault of faults) {
  test.promise(`a message to an agent is kept and sent once: ${fault}`, async (stage) => {
    const { page, broken, sentTexts } = await chatWith(stage, fault);
    const queued = page.getByRole('list', { name: 'Queued messages' });
    await queued.getByText(text).waitFor();
    await queued.getByText(fault === 'slow' ? 'Sending…' : sentenceOf(fault)).waitFor();
    assert.is((await sentTexts()).length, 1);
    await page.reload();
    await queued.getByText(text).waitFor();
    await broken.mend();
    if (fault === 402 || fault === 412) await queued.getByRole('button', { name: 'Send now' }).press('Enter');
    await page.locator('.message.user').getByText(text).waitFor();
    await queued.waitFor({ state: 'detached' });
    await until(async () => (await sentTexts()).filter((sent) => sent === text).length === 1);
  });
}

test.run();
