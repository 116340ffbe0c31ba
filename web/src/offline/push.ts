import { api } from '../api/client.ts';
import type { Identity } from '../api/queries.ts';

/* Notifications of this browser while no window is open. */

/** - `unsupported`: also where the service is used without TLS. `denied`: only the browser can change that. */
export type PushState = 'unsupported' | 'denied' | 'off' | 'on';

/** Whose subscription it is, and of which session; the browser itself has one for everybody who uses it. */
const key = 'tandem.push';

const inWorkspace = ({ user, workspace }: Identity) => `${user.id} ${workspace.id}`;
const ownerOf = (identity: Identity) => `${inWorkspace(identity)} ${identity.credential.id}`;

function owner(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

function setOwner(of: string | null): void {
  try {
    if (of === null) localStorage.removeItem(key);
    else localStorage.setItem(key, of);
  } catch {
    // Storage is disabled: the subscription is sent again by the next window.
  }
}

const isSupported = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Sends a subscription to the service. @throws ProblemError */
async function add(made: PushSubscription, identity: Identity): Promise<void> {
  const { endpoint = '', keys = {} } = made.toJSON();
  const { p256dh = '', auth = '' } = keys;
  await api.notifications.addPushSubscription.mutate({ endpoint, keys: { p256dh, auth } });
  setOwner(ownerOf(identity));
}

/** Whether this browser gets notifications of this person in this workspace. */
export async function pushState(identity: Identity): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const isOn = (await subscription()) !== null && owner().startsWith(inWorkspace(identity));
  return isOn ? 'on' : 'off';
}

/** The bytes of a key in base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
}

/**
 * Asks the person for permission and subscribes the browser. Call it in response to a press. @throws ProblemError of
 * the service, DOMException where the push service of the browser cannot be reached.
 */
export async function turnPushOn(identity: Identity): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return pushState(identity);
  await navigator.serviceWorker.register('/offline-worker.js');
  const { pushManager } = await navigator.serviceWorker.ready;
  const { applicationServerKey } = await api.notifications.pushSubscriptions.query({});
  // One for another key, or of another person, is of no use here.
  await (await pushManager.getSubscription())?.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: bytesOf(applicationServerKey) };
  await add(await pushManager.subscribe(options), identity);
  return 'on';
}

/** Ends the notifications of this browser, here and at the service. @throws ProblemError */
export async function turnPushOff(): Promise<PushState> {
  const { data } = await api.notifications.pushSubscriptions.query({});
  // Those of the session are of this browser.
  for (const { id, isCurrent } of data)
    if (isCurrent) await api.notifications.removePushSubscription.mutate({ pushSubscriptionId: id });
  setOwner(null);
  await (await subscription())?.unsubscribe();
  return 'off';
}

/**
 * Keeps the subscription that of the person who is signed in: in another workspace it is added there, in another
 * session it belongs to that one, and that of another person ends. Never throws.
 */
export async function keepPush(identity: Identity): Promise<void> {
  const before = owner();
  if (before === '' || before === ownerOf(identity) || !isSupported()) return;
  try {
    const made = await subscription();
    if (made && before.startsWith(`${identity.user.id} `)) return await add(made, identity);
    setOwner(null);
    await made?.unsubscribe();
  } catch {
    // Without a connection; the next window tries again.
  }
}
