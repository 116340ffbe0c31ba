import { type ClickEventLike, openSubject, type PushEventLike, type PushScope, showMessage } from './push-worker.ts';
import { sharePath, storeShare } from './shared.ts';

/*
 * The service worker: it answers from the stored files where the network does not, takes what other applications share,
 * and shows notifications.
 * The build makes /offline-worker.js of this file and puts the addresses of the pages of signed-in people before it
 * (web/installable.ts).
 */

declare const addresses: readonly string[];
/** Those that need a document of their own: they use the microphone. */
declare const microphoneAddresses: readonly string[];

/** The parts of a `FetchEvent` and a `ServiceWorkerGlobalScope` that are used. */
interface WorkerEvent extends Event {
  request: Request;
  respondWith(response: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}

interface WorkerScope extends PushScope {
  addEventListener(type: 'push', listener: (event: PushEventLike) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEventLike) => void): void;
  addEventListener(type: 'install' | 'activate' | 'fetch', listener: (event: WorkerEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: PushScope['clients'] & { claim(): Promise<void> };
}

const scope = self as unknown as WorkerScope;
/** As in store.ts. */
const filesCache = 'tandem-pages';

function isAmong(pages: readonly string[], pathname: string): boolean {
  const parts = pathname.split('/');
  return pages.some((address) => {
    const wanted = address.split('/');
    return (
      wanted.length === parts.length && wanted.every((part, place) => part.startsWith(':') || part === parts[place])
    );
  });
}

const isPage = (pathname: string) => isAmong(addresses, pathname) || isAmong(microphoneAddresses, pathname);

/** What is stored for a request; undefined too where storage is disabled. */
const storedFor = (key: Request | string) => caches.match(key, { ignoreVary: true }).catch(() => undefined);

/** Stores a copy. A storage that is full or disabled is no reason to withhold the response. */
async function store(event: WorkerEvent, key: Request | string, response: Response): Promise<void> {
  // Without a cache nobody is signed in, and nothing is stored.
  if (!(await caches.has(filesCache).catch(() => false))) return;
  const copy = response.clone();
  const storing = caches.open(filesCache).then((cache) => cache.put(key, copy));
  event.waitUntil(storing.catch(() => {}));
}

/** A stored file; names change with content, so it is never old. One that is not stored yet is stored. */
async function fileOf(event: WorkerEvent): Promise<Response> {
  const stored = await storedFor(event.request);
  if (stored) return stored;
  const response = await fetch(event.request);
  if (response.ok) await store(event, event.request, response);
  return response;
}

/** The document of the service, or the stored one when the service cannot be reached. */
async function pageOf(event: WorkerEvent): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(event.request);
  } catch (error) {
    const stored = await storedFor('/');
    if (stored) return stored;
    throw error;
  }
  if (response.ok && !response.redirected) await store(event, '/', response);
  return response;
}

/**
 * Stores what another application shares, and leads to the page that offers it. Any site can send such a form too: so
 * it becomes a draft, of which the person makes a todo or a capture.
 */
async function shareOf(request: Request): Promise<Response> {
  const outcome = await request
    .formData()
    .then(storeShare)
    .catch(() => 'failed' as const);
  return Response.redirect(outcome === 'stored' ? sharePath : `${sharePath}?problem=${outcome}`, 303);
}

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('push', (event) => event.waitUntil(showMessage(scope, event.data)));
scope.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openSubject(scope, event.notification.data, isPage));
});
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.method === 'POST' && pathname === sharePath) event.respondWith(shareOf(request));
  if (request.method !== 'GET') return;
  if (pathname.startsWith('/assets/')) event.respondWith(fileOf(event));
  else if (request.mode === 'navigate' && isAmong(addresses, pathname)) event.respondWith(pageOf(event));
});
