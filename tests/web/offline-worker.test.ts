import { suite } from 'uvu';
import * as assert from 'uvu/assert';

/*
 * The service worker in a simulated scope. tests/proof/pages-installed.test.ts and pages-push.test.ts run it in a
 * browser.
 */

const test = suite('the service worker');
const origin = 'https://tandem.test';

/** What is stored, by path; `isFull`: nothing more can be. */
const stored = new Map<string, string>();
let isFull = false;
/** What the network answers; null: it cannot be reached. */
let answer: string | null = '';

const pathOf = (key: Request | string) => new URL(typeof key === 'string' ? key : key.url, origin).pathname;
const cache = {
  put: async (key: Request | string, response: Response) => {
    if (isFull) throw new DOMException('', 'QuotaExceededError');
    stored.set(pathOf(key), await response.text());
  },
};
const caches = {
  has: async () => true,
  open: async () => cache,
  match: async (key: Request | string) => {
    const text = stored.get(pathOf(key));
    return text === undefined ? undefined : new Response(text);
  },
};

interface Window {
  url: string;
  visibilityState: string;
}
let windows: Window[] = [];
/** What was opened: a page in the window of an address, or in a new one. */
const opened: [where: string, page: string][] = [];
const clients = {
  claim: async () => {},
  matchAll: async () =>
    windows.map(({ url, visibilityState }) => ({
      url: origin + url,
      visibilityState,
      focus: async () => {},
      postMessage: ({ open }: { open: string }) => opened.push([url, open]),
    })),
  openWindow: async (page: string) => opened.push(['new', page]),
};

type Listener = (event: object) => void;
const listeners = new Map<string, Listener>();
const scope = { clients, addEventListener: (type: string, listener: Listener) => listeners.set(type, listener) };

const simulated = {
  self: scope,
  caches,
  location: { origin },
  addresses: ['/', '/todos', '/todos/:todoId'],
  microphoneAddresses: ['/record'],
  fetch: async () => {
    if (answer === null) throw new TypeError('Failed to fetch');
    return new Response(answer);
  },
};
const before = Object.keys(simulated).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);

test.before(async () => {
  for (const [name, value] of Object.entries(simulated))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  // By its name: the file needs types of a browser, which the tests do without.
  const file: string = '../../web/src/offline/worker.ts';
  await import(file);
});
test.before.each(() => {
  stored.clear();
  isFull = false;
  opened.length = 0;
});
test.after(() => {
  for (const [name, descriptor] of before) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  }
});

/** Dispatches an event, and waits for all that it starts. Returns the response to a fetch. */
async function dispatch(type: string, event: object): Promise<Response | undefined> {
  const work: Promise<unknown>[] = [];
  let response: Promise<Response> | undefined;
  listeners.get(type)?.({
    ...event,
    respondWith: (given: Promise<Response>) => {
      response = given;
    },
    waitUntil: (given: Promise<unknown>) => work.push(given),
  });
  const given = await response;
  await Promise.all(work);
  return given;
}

/** The text that a window gets; undefined where the worker leaves the request to the browser. */
async function textOf(path: string, mode = 'same-origin'): Promise<string | undefined> {
  const request = { method: 'GET', url: origin + path, mode };
  return (await dispatch('fetch', { request }))?.text();
}

test('files and documents are stored, and answer where the network does not', async () => {
  for (const [path, mode] of [
    ['/assets/start.js', 'same-origin'],
    ['/todos', 'navigate'],
  ] as const) {
    answer = 'of the service';
    assert.is(await textOf(path, mode), 'of the service');
    answer = null;
    assert.is(await textOf(path, mode), 'of the service', path);
  }
  assert.equal([...stored.keys()], ['/assets/start.js', '/'], 'one document stands for all pages');
  assert.is(await textOf('/docs', 'navigate'), undefined);
  assert.is(await textOf('/record', 'navigate'), undefined);
});

test('where nothing more can be stored, what the service answers is passed on', async () => {
  stored.set('/', 'of an earlier build');
  isFull = true;
  answer = 'of the service';
  assert.is(await textOf('/assets/start.js'), 'of the service');
  assert.is(await textOf('/todos', 'navigate'), 'of the service');
  assert.is(stored.get('/'), 'of an earlier build');
});

/** Presses a notification about a todo while these windows are open. */
async function press(...open: [url: string, isVisible: boolean][]): Promise<void> {
  windows = open.map(([url, isVisible]) => ({ url, visibilityState: isVisible ? 'visible' : 'hidden' }));
  const notification = { close: () => {}, data: { url: `${origin}/todos/1` } };
  await dispatch('notificationclick', { notification });
}

test('a notification that is pressed opens its page in a visible window, or else in another one', async () => {
  await press(['/todos?status=done', false], ['/record', true]);
  await press(['/todos/2', false]);
  await press();
  assert.equal(opened, [
    ['/record', '/todos/1'],
    ['/todos/2', '/todos/1'],
    ['new', '/todos/1'],
  ]);
});

test('a notification that is pressed leaves windows alone that show no page of signed-in people', async () => {
  await press(['/docs', true], ['/todos', false]);
  await press(['/docs', true], ['/oauth/consent?uid=1', false]);
  assert.equal(opened, [
    ['/todos', '/todos/1'],
    ['new', '/todos/1'],
  ]);
});

test.run();
