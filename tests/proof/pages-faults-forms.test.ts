import type { Route } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { type Flow, form, promiseNoLoss, text } from '../support/fault-flows.ts';
import { expectedFailures, sentenceOf } from '../support/page-faults.ts';
import { callsOf, type Person } from '../support/people.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: faults while forms are sent');

interface Named {
  name?: string;
  title?: string;
  description?: string | null;
  content?: string;
  approvalGuidance?: string | null;
}

/** How many of a list of the service have the text. */
async function countIn(tandem: Parameters<typeof callsOf>[0], ada: Person, route: string): Promise<number> {
  const { data } = bodyOf(await callsOf(tandem, ada)(route));
  return data.filter((each: Named) => Object.values(each).includes(text)).length;
}

const flows: Record<string, Flow> = {
  'a label': {
    operation: 'createLabel',
    write: async ({ tandem }, ada, window) => {
      await window.goTo('/settings/labels', 'Labels');
      const written = form(window, 'Name', 'Create label');
      await written.field.fill(text);
      return {
        ...written,
        count: () => countIn(tandem, ada, 'GET /labels'),
        sent: () => window.page.getByText(`The label “${text}” is created.`).waitFor(),
      };
    },
  },
  'a list': {
    operation: 'createTodoList',
    write: async ({ tandem }, ada, window) => {
      await window.goTo('/lists', 'Lists');
      const written = form(window, 'Name', 'Create list');
      await written.field.fill(text);
      return {
        ...written,
        count: () => countIn(tandem, ada, 'GET /todo-lists'),
        sent: () => window.page.getByText(`The list “${text}” is created.`).waitFor(),
      };
    },
  },
  'a view': {
    operation: 'createView',
    write: async ({ tandem }, ada, window) => {
      await window.goTo('/todos?priority=high', 'Todos');
      await window.page.getByRole('button', { name: 'Save as view' }).click();
      const written = form(window, 'Name', 'Save');
      await written.field.fill(text);
      return {
        ...written,
        count: () => countIn(tandem, ada, 'GET /views'),
        sent: () => window.page.getByText(`The view “${text}” is saved.`).waitFor(),
      };
    },
  },
  'a sub-todo': {
    operation: 'createTodo',
    isQueued: true,
    write: async ({ tandem }, ada, window) => {
      const { id } = bodyOf(await callsOf(tandem, ada)('POST /todos', { title: 'Find a hall' }), 201);
      await window.goTo(`/todos/${id}`, 'Find a hall');
      const field = window.page.getByRole('combobox', { name: 'Sub-todo' });
      await field.fill(text);
      return {
        field,
        send: () => field.press('Enter'),
        count: () => countIn(tandem, ada, `GET /todos?parentTodoId=${id}`),
        sent: () => window.page.getByRole('list', { name: 'Sub-todos' }).getByText(text).waitFor(),
      };
    },
  },
};

promiseNoLoss(test, flows);

/** Forms that make something: the page of each, its field and button, and the call of the client. */
const forms = [
  { name: 'a todo for an agent', path: '/agents/ID', label: 'Todo', button: 'Assign', call: 'todos.create' },
  { name: 'a chat', path: '/agents/ID', label: 'Message to Scout', button: 'Start the chat', call: 'chats.create' },
  { name: 'a skill', path: '/agents/ID/skills?skill=new', label: 'Name', button: 'Add skill', call: 'skills.create' },
  { name: 'an agent', path: '/agents/new', label: 'Name', button: 'Create agent', call: 'agents.create' },
  { name: 'a note', path: '/captures/new', label: 'Note', button: 'Save note', call: 'captures.create' },
  { name: 'a chat of the home page', path: '/', label: 'Message', button: 'Ask', call: 'chats.create' },
];

for (const { name, path, label, button, call } of forms) {
  test.promise(`${name} is made once, also where the answer is lost and it is sent again`, async (stage) => {
    const ada = await stage.person();
    const request = callsOf(stage.tandem, ada);
    const agentId = await agentOf({ call: request }, { name: 'Scout' });
    const count = async () => bodyOf(await request(`GET /${call.split('.')[0]}`)).data.length;
    const before = await count();
    const window = await stage.window({ as: ada, expected: expectedFailures });
    const { page } = window;
    await page.goto(path.replace('ID', agentId));
    const opened = page.url();
    const { field, send } = form(window, label, button);
    await field.fill(text);
    const loses = async (route: Route) => {
      await route.fetch();
      await route.abort('connectionreset');
    };
    await page.route(`**/trpc/${call}*`, loses, { times: 1 });
    await send();
    await page.getByText(sentenceOf('unreachable')).first().waitFor();
    assert.is(await count(), before + 1);
    await send();
    await until(() => page.url() !== opened);
    assert.is(await count(), before + 1);
  });
}

test.run();
