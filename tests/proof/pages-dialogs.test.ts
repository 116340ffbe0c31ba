import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { type Opened, openings, question } from '../support/dialogs.ts';
import { newGrant } from '../support/grants.ts';
import { addTodo, expected, listWindow, onWrite, pill, refusal } from '../support/outbox-pages.ts';
import { show } from '../support/page-matrix.ts';
import { callsOf, password } from '../support/people.ts';
import { isFull } from '../support/proof-size.ts';
import { brokenLine, overLine, recorded, status } from '../support/recording-page.ts';
import { SampleEngine } from '../support/sample-engine.ts';
import { sampleWorkspace } from '../support/sample-workspace.ts';
import { addPasskey, addTotp, enterPassword } from '../support/second-factors.ts';
import { until } from '../support/until.ts';
import { bodyOf, untilStatus } from '../support/work-fixtures.ts';

/*
 * Everything that pages open over themselves, wide and narrow, light and dark: axe finds nothing, and all of it fits.
 */

const parts = async () => ({ engine: new SampleEngine(), handlers: { onCapture: async () => {} } });
const test = pageSuite('pages: every dialog and menu', parts, { HOST: 'localhost' });

type Viewport = { width: number; height: number };
const narrow: Viewport = { width: 320, height: 640 };
const sizes: readonly Viewport[] = [{ width: 1280, height: 900 }, narrow];
const over = '.overlay, .popover';

/**
 * The themes in which it is looked at, the first with all rules of axe: in CI light on a desk, and dark in a narrow
 * window.
 */
function themesAt(page: Page): readonly ('light' | 'dark')[] {
  const isNarrow = page.viewportSize()?.width === narrow.width;
  return isFull ? ['light', 'dark'] : [isNarrow ? 'dark' : 'light'];
}

/** What is wrong with what is open. */
async function faultsOf({ page, axe }: Window, what: string): Promise<string[]> {
  const found: string[] = [];
  const tooWide = `[document.documentElement, ...document.querySelectorAll('${over}')]
    .some((part) => part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > innerWidth + 1)`;
  if (await page.evaluate(tooWide)) found.push(`${what} is wider than the screen`);
  for (const [place, colorScheme] of themesAt(page).entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(
      ...(await axe(place === 0 ? 'all' : 'colours', over)).map((finding) => `${what}, ${colorScheme}: ${finding}`),
    );
  }
  return found;
}

/** Opens it, looks at it and closes it. */
async function lookAt(window: Window, { of, role, open }: Opened, what: string): Promise<string[]> {
  const { page } = window;
  await open(page);
  const opened = page.locator(over).getByRole(role).last();
  await opened.waitFor();
  await page.locator('.overlay .skeleton').first().waitFor({ state: 'detached' });
  const found = await faultsOf(window, `${what} ${of}`);
  while ((await page.locator(over).count()) > 0) {
    const before = await page.locator(over).count();
    await page.keyboard.press('Escape');
    const last = page.locator(over).nth(before - 1);
    await last.waitFor({ state: 'detached' }).catch(async () => {
      const focused = await page.evaluate('document.activeElement.outerHTML.slice(0, 200)');
      throw new Error(`${what} ${of} is not closed by Escape; the focus is on ${focused}`);
    });
    // What was below gets the focus in one of the next frames, and takes keys from then on.
    const below = `document.querySelector('${over}') === null || document.activeElement.closest('${over}') !== null`;
    await until(() => page.evaluate(below));
  }
  return found;
}

/** The sample workspace with what else opens dialogs. */
async function sampleOf(stage: Stage) {
  const { maya, ids, asking } = await sampleWorkspace(stage);
  const { tandem } = stage;
  const call = callsOf(tandem, maya);
  const key = maya.session.token;
  const made = async (path: string, body: object): Promise<string> => bodyOf(await call(`POST ${path}`, body), 201).id;
  await enterPassword(tandem, maya.email);
  bodyOf(await call('POST /auth/reauthentication', { method: 'password', password }));
  await addTotp(tandem, key, new Date());
  await addPasskey(tandem, key);
  const of = { workspaceId: maya.session.workspace.id, userId: maya.session.user.id };
  await newGrant(tandem, of, ['todos:read']);
  const list = await made('/todo-lists', { name: 'Attic' });
  bodyOf(await call(`PATCH /todo-lists/${list}`, { archived: true }));
  const whole = await made('/todos', { title: 'Whole', schedule: { every: 'day', at: '08:30' } });
  await made('/todos', { title: 'Part', parentTodoId: whole });
  await made(`/todos/${whole}/comments`, { text: 'Begun.' });
  const archived = await made('/todos', { title: 'Put away' });
  bodyOf(await call(`DELETE /todos/${archived}`));
  const gate = await made('/todos', { title: 'Flowers for the gate' });
  const { data: agents } = bodyOf(await call('GET /agents'));
  const { id: agentId } = agents.find(({ name }: { name: string }) => name === 'Bookkeeper');
  const run = bodyOf(await call(`POST /todos/${gate}/runs`, { agentId, message: 'Order the flowers for it.' }), 202);
  await untilStatus({ call }, run.chatId, 'awaiting_input');
  await made('/captures', { type: 'note', content: 'Ask about vases', tags: ['fair'] });
  await tandem.db.rows(`update members set role = 'owner' where workspace_id = $1`, [of.workspaceId]);
  const forget = `update recent_authentications set authenticated_at = now() - interval '11 minutes' where credential_id = $1`;
  await tandem.db.rows(forget, [maya.session.id]);
  return { maya, ids: { ...ids, asking, whole, archived } };
}

test.promise('what opens over the pages can be used by everyone, and fits', async (stage) => {
  const { maya, ids } = await sampleOf(stage);
  const walk = async (viewport: Viewport) => {
    const window = await stage.window({ as: maya, viewport, reducedMotion: 'reduce', expected });
    const found: string[] = [];
    for (const { at, opened } of openings) {
      const path = at.replace(/:(\w+)/g, (_, name: string) => ids[name as keyof typeof ids]);
      await show(window, path);
      await window.page.getByRole('heading', { level: 1 }).first().waitFor();
      const shown = opened.filter(({ isNarrow }) => !isNarrow || viewport === narrow);
      for (const each of shown) found.push(...(await lookAt(window, each, `${viewport.width} ${at}`)));
    }
    return found;
  };
  const found = await Promise.all(sizes.map(walk));
  assert.equal(found.flat(), []);
});

const signOut: Opened = {
  of: 'shell/unsent.tsx',
  role: 'alertdialog',
  open: async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('sign out');
    await page.getByRole('option', { name: 'Sign out' }).click();
  },
};
const discarded = [question('changes/change-row', /^Discard: /), question('captures/recording-ended', 'Discard')];

/** Looks at what is open on the page of a window, in each size. */
async function lookInSizes(window: Window, ...opened: (Opened | undefined)[]): Promise<void> {
  const found: string[] = [];
  for (const viewport of sizes) {
    await window.page.setViewportSize(viewport);
    for (const each of opened) if (each) found.push(...(await lookAt(window, each, String(viewport.width))));
  }
  assert.equal(found, []);
}

test.promise('so can the questions about changes that are not sent', async (stage) => {
  const window = await listWindow(stage, await stage.person(), { reducedMotion: 'reduce' });
  const { page, sees } = window;
  await onWrite(page, 'POST', (route) => route.fulfill(refusal(503, 'The database cannot be reached.')));
  await addTodo(page, 'Not sent yet');
  await pill(page, '1 change waits').click();
  await sees('Unsent changes');
  await lookInSizes(window, discarded[0], signOut);
});

test.promise(
  'so can the question about a recording that was cut off',
  overLine(async (stage, line) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const window = await stage.window({ as: ada, reducedMotion: 'reduce', expected: brokenLine });
    const { page, goTo } = window;
    await goTo('/record', 'Record');
    await page.getByRole('button', { name: 'Start recording' }).click();
    await status(page, 'Audio is saved while you speak').waitFor();
    line.cut();
    await status(page, 'Connection lost').waitFor();
    await recorded(page, 5);
    await page.getByText('Not saved yet', { exact: true }).waitFor();
    const [capture] = bodyOf(await call('GET /captures')).data;
    bodyOf(await call(`POST /captures/${capture.id}/stop`));
    await page.getByRole('heading', { name: 'The recording has ended' }).waitFor();
    await lookInSizes(window, discarded[1]);
  }),
);

const source = join(import.meta.dirname, '../../web/src');
const openers = /<(Overlay|FormDialog|ConfirmDialog|ConfirmButton|Finder|MenuButton|SelectField|Popover|Modal\w*)\b/g;

test.promise('each place of the pages that opens something is among them', async () => {
  const looked = [...openings.flatMap(({ opened }) => opened), ...discarded, signOut].map(({ of }) => of);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'));
  const uses = (path: string) => readFileSync(join(source, path), 'utf8').match(openers)?.length ?? 0;
  const missing = files
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('ui/') && uses(path) > looked.filter((of) => of === path).length);
  assert.equal(missing, [], 'add what they open to tests/support/dialogs.ts');
  assert.equal(
    looked.filter((of) => !files.includes(of) || uses(of) === 0),
    [],
    'these open nothing',
  );
});

test.run();
