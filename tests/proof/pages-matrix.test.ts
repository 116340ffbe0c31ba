import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { connectApp } from '../support/oauth.ts';
import { breakOperations, expectedFailures, sentenceOf } from '../support/page-faults.ts';
import { faultsOf, type Place, placesOf, show, untilShown } from '../support/page-matrix.ts';
import { callsOf, password } from '../support/people.ts';
import { SampleEngine } from '../support/sample-engine.ts';
import { sampleWorkspace } from '../support/sample-workspace.ts';
import { unknownId } from '../support/todo-fixtures.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: every page, in every state and view', async () => ({
  engine: new SampleEngine(),
  handlers: { onCapture: async () => {} },
}));

const unknown = { todoListId: unknownId, todoId: unknownId, chatId: unknownId, agentId: unknownId };
const noIds = { ...unknown, viewId: unknownId, captureId: unknownId, endpointId: unknownId };

/** Shows each page in one window, by `open`, and looks at it in every view. */
async function walk(
  window: Window,
  places: readonly Place[],
  state: string,
  { open = show, each = async () => {} }: { open?: typeof show; each?: () => Promise<void> } = {},
): Promise<void> {
  const found: string[] = [];
  for (const { pattern, path } of places) {
    await open(window, path);
    await untilShown(window);
    await each();
    found.push(...(await faultsOf(window, `${state} ${pattern}`)));
  }
  assert.equal(found, []);
}

/**
 * The sample workspace, with what its settings list beside: a second workspace and session, an app, a key that has
 * ended.
 */
async function inUse(stage: Stage) {
  const sample = await sampleWorkspace(stage);
  const { tandem } = stage;
  const call = callsOf(tandem, sample.maya);
  const workspaceId = sample.maya.session.workspace.id;
  const old = { workspaceId, name: 'Old laptop', scopes: ['todos:read'] };
  const { id } = bodyOf(await call('POST /api-keys', old), 201);
  bodyOf(await call(`DELETE /api-keys/${id}`));
  bodyOf(await call('POST /workspaces', { name: 'Analytical Engine', timezone: 'Europe/London' }), 201);
  bodyOf(await tandem.call('POST /auth/sessions', { email: sample.maya.email, password }), 201);
  await connectApp(tandem, sample.maya);
  return sample;
}

for (const layout of ['work', 'settings'] as const) {
  test.promise(`pages of a new person, and of what is not there: ${layout}`, async (stage) => {
    const window = await stage.window({ as: await stage.person('Grace Hopper'), expected: expectedFailures });
    const elsewhere = layout === 'work' ? [{ pattern: 'no page', path: '/nothing/here' }] : [];
    await walk(window, [...placesOf([layout], noIds), ...elsewhere], 'empty');
  });

  test.promise(`pages of a workspace in use: ${layout}`, async (stage) => {
    const { maya, ids } = await inUse(stage);
    await walk(await stage.window({ as: maya }), placesOf([layout], ids), 'full');
  });

  test.promise(`pages while nothing can be read: ${layout}`, async (stage) => {
    const window = await stage.window({ as: await stage.person('Grace Hopper'), expected: expectedFailures });
    const { page } = window;
    const reads = new Set(['getIdentity', 'getServiceInfo']);
    await breakOperations(page, (id) => !reads.has(id), 503);
    // These read nothing but the identity or what the browser stores, or begin with a form that needs nothing.
    const quiet = [
      ...['/captures/new', '/record', '/agents/new', '/settings/appearance', '/settings/webhooks/new'],
      ...['/share', '/changes'],
    ];
    await walk(window, placesOf([layout], noIds), 'error', {
      each: async () => {
        // The others say that they could not be read.
        if (quiet.includes(new URL(page.url()).pathname)) return;
        await page.locator('#content').getByText(sentenceOf(503)).first().waitFor();
      },
    });
  });
}

test.promise('pages before the sign-in, as they open and with an error', async (stage) => {
  const window = await stage.window({ expected: expectedFailures });
  const { page } = window;
  const places = placesOf(['bare', 'app'], noIds);
  const withToken = places.map(({ pattern, path }) => ({
    pattern: `${pattern} with a token`,
    path: `${path}#token=x`,
  }));
  // These are opened by links from elsewhere, whose token is read when a document begins.
  const open = async (_: Window, path: string) => void (await page.goto(path));
  await walk(window, [...places, ...withToken, { pattern: 'no page', path: '/nothing/here' }], 'guest', { open });
  const hasForm = ['/sign-in', '/sign-up', '/reset-password#token=x', '/welcome#token=x'];
  const forms = hasForm.map((path) => ({ pattern: path, path }));
  const each = async () => {
    await page.locator('main form button[type=submit]').first().click();
    await page.getByRole('alert').first().waitFor();
  };
  await walk(window, forms, 'guest error', { open, each });
});

test.run();
