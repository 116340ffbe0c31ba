import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { type Flow, form, promiseNoLoss, text } from '../support/fault-flows.ts';
import { callsOf, type Person } from '../support/people.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: faults while reminders and webhooks are saved');

const url = 'https://hooks.example.com/tandem';
const time = '07:45';

async function endpointsWithText({ tandem }: Stage, ada: Person): Promise<number> {
  const { data } = bodyOf(await callsOf(tandem, ada)('GET /webhook-endpoints'));
  return data.filter(({ description }: { description: string | null }) => description === text).length;
}

/** Writes the note of an endpoint, and what `choose` adds. */
async function note(window: Window, button: string, choose: () => Promise<void> = async () => {}) {
  // The name of the field has its hint in it.
  const field = window.page.getByRole('textbox', { name: /^Note/ });
  await field.fill(text);
  await choose();
  return { ...form(window, 'Note', button), field };
}

const flows: Record<string, Flow> = {
  'a webhook endpoint': {
    operation: 'createWebhookEndpoint',
    write: async (stage, ada, window) => {
      const { page, goTo, sees } = window;
      await goTo('/settings/webhooks/new', 'Add a webhook endpoint');
      const written = await note(window, 'Add endpoint', async () => {
        await page.getByRole('textbox', { name: /^Address/ }).fill(url);
        await page.getByRole('checkbox', { name: 'Todo completed' }).press('Space');
      });
      return {
        ...written,
        count: () => endpointsWithText(stage, ada),
        sent: () => sees('The endpoint is ready'),
      };
    },
  },
  'a change of a webhook endpoint': {
    operation: 'updateWebhookEndpoint',
    write: async (stage, ada, window) => {
      const call = callsOf(stage.tandem, ada);
      const { id } = bodyOf(await call('POST /webhook-endpoints', { url, types: ['todo.created'] }), 201);
      await window.goTo(`/settings/webhooks/${id}`, 'Webhook endpoint');
      return {
        ...(await note(window, 'Save')),
        count: () => endpointsWithText(stage, ada),
        sent: () => window.page.getByText('The endpoint is saved.').waitFor(),
      };
    },
  },
  'a reminder': {
    operation: 'createTodoReminder',
    write: async ({ tandem }, ada, window) => {
      const call = callsOf(tandem, ada);
      const { id } = bodyOf(await call('POST /todos', { title: 'Find a hall', dueDate: '2031-03-05' }), 201);
      await window.goTo(`/todos/${id}`, 'Find a hall');
      const field = window.page.getByLabel('Time of the reminder');
      await field.fill(time);
      const button = window.page.getByRole('button', { name: 'Remind me', exact: true });
      return {
        field,
        value: time,
        send: () => button.press('Enter'),
        count: async () => bodyOf(await call(`GET /todos/${id}/reminders`)).data.length,
        sent: () => window.page.getByText(`On the day at ${time}`).waitFor(),
      };
    },
  },
};

promiseNoLoss(test, flows);

test.run();
