import { maxShared, readShare } from './share-form.ts';
import { sharedCache } from './store.ts';

/*
 * What other applications share with this one: the service worker stores it, and the pages offer it as drafts. It is
 * kept for an hour, also while nobody is signed in, and is deleted at a sign-out.
 */

/** The address that shares are sent to, and the page that takes them. */
export const sharePath = '/share';
const keptMs = 60 * 60_000;

/** A file that was shared. `key` names it until it is deleted. */
export interface SharedFile {
  key: string;
  file: File;
}

/** The time in the key of an entry, such as `/share/1767225600000/text`. */
function timeOf({ url }: Request): number {
  return Number(new URL(url).pathname.split('/')[2]);
}

const isText = ({ url }: Request) => url.endsWith('/text');
const isOld = (request: Request) => !(Math.abs(Date.now() - timeOf(request)) < keptMs);

/** Stores a shared form, unless it is empty, too large, or too much waits already. */
export async function storeShare(form: FormData): Promise<'stored' | 'empty' | 'too_large'> {
  const share = readShare(form);
  if (share === 'empty' || share === 'too_large') return share;
  const { text, files } = share;
  const cache = await caches.open(sharedCache);
  const waiting = await cache.keys();
  await Promise.all(waiting.filter(isOld).map((request) => cache.delete(request)));
  const kept = waiting.filter((request) => !isOld(request)).length;
  if (kept + files.length > maxShared) return 'too_large';
  const prefix = `${sharePath}/${Date.now()}`;
  if (files.length === 0) await cache.put(`${prefix}/text`, new Response(text));
  for (const [place, file] of files.entries()) {
    const headers = { 'Content-Type': file.type, 'X-Name': encodeURIComponent(file.name) };
    await cache.put(`${prefix}/${place}`, new Response(file, { headers }));
  }
  return 'stored';
}

/** The entries that are not old, the oldest first; none where storage is disabled or nothing was shared. */
async function entries(): Promise<{ key: Request; response: Response }[]> {
  if (typeof caches === 'undefined' || !(await caches.has(sharedCache))) return [];
  const cache = await caches.open(sharedCache);
  const keys = (await cache.keys()).filter((key) => !isOld(key));
  const found = await Promise.all(keys.map(async (key) => ({ key, response: await cache.match(key) })));
  return found
    .flatMap(({ key, response }) => (response ? [{ key, response }] : []))
    .sort((one, other) => timeOf(one.key) - timeOf(other.key));
}

/** The texts that were shared and not taken yet, with the keys to delete them by. */
export async function sharedTexts(): Promise<{ key: string; text: string }[]> {
  const texts = (await entries()).filter(({ key }) => isText(key));
  return Promise.all(texts.map(async ({ key, response }) => ({ key: key.url, text: await response.text() })));
}

/** The files that were shared and not taken yet. */
export async function sharedFiles(): Promise<SharedFile[]> {
  const files = (await entries()).filter(({ key }) => !isText(key));
  return Promise.all(
    files.map(async ({ key, response }) => {
      const name = decodeURIComponent(response.headers.get('X-Name') ?? 'file');
      const type = response.headers.get('Content-Type') ?? '';
      return { key: key.url, file: new File([await response.blob()], name, { type }) };
    }),
  );
}

/** Deletes what was taken. Never throws. */
export async function deleteShared(keys: readonly string[]): Promise<void> {
  try {
    const cache = await caches.open(sharedCache);
    for (const key of keys) await cache.delete(key);
  } catch {
    // Storage is disabled.
  }
}
