import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { cardOf } from '../support/inbox-fixtures.ts';
import { untilShown } from '../support/page-matrix.ts';
import { SampleEngine } from '../support/sample-engine.ts';
import { type Sample, sampleWorkspace } from '../support/sample-workspace.ts';

/*
 * The pictures of docs/images. With PICTURES set to a folder they are written there, as WebP:
 * `PICTURES=docs/images node scripts/test.ts proof/pages-pictures`.
 */

const test = pageSuite('pages: pictures of the sample workspace', async () => ({
  engine: new SampleEngine(),
  handlers: { onCapture: async () => {} },
}));

const folder = process.env.PICTURES;
const maxBytes = 60_000;
const desk = { viewport: { width: 1280, height: 880 }, deviceScaleFactor: 1.5 };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };

interface Picture {
  name: string;
  path: (sample: Sample) => string;
  heading: string;
  dark?: true;
  onPhone?: true;
  /** What has to be shown, and what is done before. */
  prepare: (window: Window) => Promise<unknown>;
}

const shows =
  (text: string | RegExp) =>
  ({ page }: Window) =>
    page.locator('#content').getByText(text).first().waitFor();

/** The day of the next weekly digest, also when that of today was already. */
function nextFriday(): string {
  const day = new Date();
  do day.setUTCDate(day.getUTCDate() + 1);
  while (day.getUTCDay() !== 5);
  return day.toISOString().slice(0, 10);
}

const pictures: Picture[] = [
  {
    name: 'todos',
    path: ({ ids }) => `/todos?peek=${ids.todoId}`,
    heading: 'Todos',
    prepare: ({ page }) => page.getByRole('heading', { level: 2, name: 'Compare three caterers' }).waitFor(),
  },
  {
    name: 'quick-add',
    path: () => '/todos',
    heading: 'Todos',
    prepare: async ({ page }) => {
      await page.keyboard.press('c');
      await page.locator('input[name="title"]:focus').waitFor();
      await page.keyboard.type('ticket numbers 9am !high #Finance @Researcher every friday ');
      await page.getByRole('list', { name: 'Next times' }).getByRole('listitem').first().waitFor();
    },
  },
  {
    name: 'board',
    path: () => '/todos?layout=board',
    heading: 'Todos',
    dark: true,
    prepare: ({ page }) => page.getByRole('heading', { level: 2, name: /^Done/ }).waitFor(),
  },
  {
    name: 'groups',
    path: () => '/todos?group=assignee',
    heading: 'Todos',
    prepare: ({ page }) => page.getByRole('button', { name: /^Researcher/ }).waitFor(),
  },
  {
    name: 'todo',
    path: ({ ids }) => `/todos/${ids.todoId}`,
    heading: 'Compare three caterers',
    prepare: shows('Olive & Thyme'),
  },
  {
    name: 'inbox',
    path: () => '/inbox',
    heading: 'Inbox',
    prepare: (window) => cardOf(window, /Order 40 table bouquets/).waitFor(),
  },
  {
    name: 'chat',
    path: ({ ids }) => `/chats/${ids.chatId}`,
    heading: 'This week',
    prepare: shows('Three todos are due'),
  },
  {
    name: 'approval',
    path: ({ asking }) => `/chats/${asking}`,
    heading: 'Flowers',
    dark: true,
    prepare: (window) => cardOf(window, /Order 40 table bouquets/).waitFor(),
  },
  { name: 'agents', path: () => '/agents', heading: 'Agents', prepare: shows('Compares offers') },
  {
    name: 'instructions',
    path: ({ ids }) => `/agents/${ids.agentId}/instructions`,
    heading: 'Researcher',
    prepare: ({ page }) => page.getByRole('textbox').first().waitFor(),
  },
  {
    name: 'schedules',
    path: () => '/schedules',
    heading: 'Schedules',
    prepare: shows('Weekly digest of ticket sales'),
  },
  {
    name: 'month',
    path: () => `/schedules?view=month&day=${nextFriday()}`,
    heading: 'Schedules',
    prepare: ({ page }) =>
      page
        .getByRole('link', { name: /Weekly digest/ })
        .first()
        .waitFor(),
  },
  { name: 'runs', path: () => '/runs', heading: 'Runs', prepare: shows('Collect quotes for the stage') },
  { name: 'usage', path: () => '/usage', heading: 'Usage', dark: true, prepare: shows('Researcher') },
  {
    name: 'capture',
    path: ({ ids }) => `/captures/${ids.captureId}`,
    heading: 'Planning of the spring fair',
    prepare: async ({ page }) => {
      await page.getByText('Meet the fire inspector on the site').first().waitFor();
      await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    },
  },
  {
    name: 'webhooks',
    path: () => '/settings/webhooks',
    heading: 'Webhooks',
    dark: true,
    prepare: shows('hooks.example.com'),
  },
  {
    name: 'palette',
    path: () => '/todos',
    heading: 'Todos',
    dark: true,
    prepare: async ({ page }) => {
      await page.getByRole('row').first().waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find a command' }).fill('no');
    },
  },
  {
    name: 'phone-todos',
    path: () => '/todos',
    heading: 'Todos',
    onPhone: true,
    prepare: ({ page }) => page.getByRole('row').last().scrollIntoViewIfNeeded(),
  },
  {
    name: 'phone-chat',
    path: ({ ids }) => `/chats/${ids.chatId}`,
    heading: 'This week',
    onPhone: true,
    prepare: shows('Three todos are due'),
  },
  {
    name: 'phone-todo',
    path: ({ ids }) => `/todos/${ids.todoId}`,
    heading: 'Compare three caterers',
    onPhone: true,
    dark: true,
    prepare: shows('Olive & Thyme'),
  },
  {
    name: 'phone-inbox',
    path: () => '/inbox',
    heading: 'Inbox',
    onPhone: true,
    dark: true,
    prepare: (window) => cardOf(window, /Order 40 table bouquets/).waitFor(),
  },
];

/** The window as a WebP of at most `maxBytes`. @throws Error when it is larger in the lowest quality. */
async function webpOf({ page }: Window): Promise<Buffer> {
  const cdp = await page.context().newCDPSession(page);
  for (const quality of [80, 65, 50, 35]) {
    const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length <= maxBytes) return bytes;
  }
  throw new Error(`${page.url()} is no picture of ${maxBytes} bytes`);
}

test.promise('every picture can be taken', async (stage) => {
  const sample = await sampleWorkspace(stage);
  if (folder) await mkdir(folder, { recursive: true });
  for (const { name, path, heading, dark = false, onPhone = false, prepare } of pictures) {
    const options = { colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce', locale: 'en-GB' } as const;
    const look = onPhone ? phone : desk;
    const window = await stage.window({ as: sample.maya, timezoneId: 'Europe/London', ...options, ...look });
    await window.goTo(path(sample), heading);
    await prepare(window);
    await untilShown(window);
    const picture = await webpOf(window);
    assert.is(picture.subarray(8, 12).toString(), 'WEBP', name);
    if (folder) await writeFile(join(folder, `${name}.webp`), picture);
    await window.page.context().close();
  }
});

test.run();
