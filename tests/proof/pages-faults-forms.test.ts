import { pageSuite } from '../support/browser.ts';
import { type Flow, form, promiseNoLoss, text } from '../support/fault-flows.ts';
import { callsOf, type Person } from '../support/people.ts';
import { bodyOf } from '../support/work-fixtures.ts';

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

test.run();
