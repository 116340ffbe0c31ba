/* The part of the service worker that shows notifications, and opens the page of what they are about. */

/** The parts of a `PushEvent` and a `NotificationEvent` that are used. */
export interface PushEventLike extends Event {
  data: { json(): unknown } | null;
  waitUntil(work: Promise<unknown>): void;
}

export interface ClickEventLike extends Event {
  notification: { close(): void; data: unknown };
  waitUntil(work: Promise<unknown>): void;
}

interface WindowLike {
  url: string;
  visibilityState: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

/** The parts of a `ServiceWorkerGlobalScope` that are used. */
export interface PushScope {
  registration: { showNotification(title: string, options: object): Promise<void> };
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WindowLike[]>;
    openWindow(url: string): Promise<unknown>;
  };
}

/** What the service sends (server/workers/push/worker.ts). */
interface Message {
  title: string;
  body: string;
  tag: string;
  url: string;
}

const fallback: Message = { title: 'Tandem', body: 'Something needs you.', tag: 'tandem', url: '/notifications' };

function messageIn(data: PushEventLike['data']): Message {
  try {
    return { ...fallback, ...(data?.json() as Partial<Message>) };
  } catch {
    // A browser must show something for each message.
    return fallback;
  }
}

/** Shows a message; one with the same tag is replaced. */
export async function showMessage(scope: PushScope, data: PushEventLike['data']): Promise<void> {
  const { title, body, tag, url } = messageIn(data);
  await scope.registration.showNotification(title, { body, tag, data: { url } });
}

/**
 * Shows the page of a notification in a window that is open, which keeps what is typed in it, or else in a new one.
 * `isPage`: whether a path is that of a page of signed-in people; other windows, such as the documentation, do not
 * listen.
 */
export async function openSubject(
  scope: PushScope,
  data: unknown,
  isPage: (pathname: string) => boolean,
): Promise<void> {
  const { url = fallback.url } = (data ?? {}) as Partial<Message>;
  const { pathname, search } = new URL(url, location.origin);
  const all = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const windows = all.filter((each) => isPage(new URL(each.url).pathname));
  const open = windows.find(({ visibilityState }) => visibilityState === 'visible') ?? windows[0];
  if (!open) return void (await scope.clients.openWindow(pathname + search));
  open.postMessage({ open: pathname + search });
  await open.focus();
}
