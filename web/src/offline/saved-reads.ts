import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { problemOf } from '../api/problem.ts';
import { type Identity, identityQuery } from '../api/queries.ts';
import { storedMessagesKey } from '../chats/stored-messages.ts';
import { transact } from './database.ts';
import { readsDatabase, wipeCount } from './store.ts';

/*
 * The last answers of lists, todos and chats, for a page that is opened without a connection. They are stored by person
 * and workspace. Captures are not, nor what chats quote of them: recordings and notes stay at the service.
 */

const names = { database: readsDatabase, store: 'reads' };
/** First parts of the keys of what is saved. */
const savedKinds: ReadonlySet<string> = new Set(['todos', 'comments', 'chats', 'assignable', 'agents']);
const keptMs = 7 * 24 * 60 * 60_000;
/** Reads that are stored at most; the newest stay. */
const maxReads = 300;
/** What is read within this time is saved together. */
const batchMs = 1_000;
/** Pages of a list; the others are read again when there is a connection. */
const maxPages = 3;
const identityName = 'identity';

interface SavedRead {
  queryKey: QueryKey;
  data: unknown;
  readAt: number;
}

interface SavedIdentity {
  identity: Identity;
  readAt: number;
}

const isOld = (readAt: number) => Date.now() - readAt > keptMs;
const scopeOf = ({ user, workspace }: Identity) => `${user.id} ${workspace.id} `;

/** Does `work` in one transaction on the stored reads. @throws DOMException where storage is disabled or full. */
const withReads = <Result>(mode: IDBTransactionMode, work: (reads: IDBObjectStore) => IDBRequest<Result>) =>
  transact(names, mode, work);

/** All reads of a scope: their names begin with it. */
const readsIn = (scope: string) => IDBKeyRange.bound(scope, `${scope}\uffff`);

function savedPartOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('pages' in data) || !('pageParams' in data)) return data;
  const { pages, pageParams } = data as InfiniteData<unknown>;
  return { pages: pages.slice(0, maxPages), pageParams: pageParams.slice(0, maxPages) };
}

/** Deletes what another person left, what is older than seven days or too much; saves who this is. */
async function prepare(identity: Identity): Promise<void> {
  const names = (await withReads('readonly', (reads) => reads.getAllKeys())).map(String);
  const saved = (await withReads('readonly', (reads) => reads.getAll())) as { readAt: number }[];
  const times = saved.map(({ readAt }) => readAt);
  const oldest = times.toSorted((a, b) => b - a)[maxReads] ?? 0;
  const isOver = (name: string, place: number) => {
    const readAt = times[place] ?? 0;
    return isOld(readAt) || readAt <= oldest || !name.startsWith(`${identity.user.id} `);
  };
  await withReads('readwrite', (reads) => {
    for (const name of names.filter(isOver)) reads.delete(name);
    return reads.put({ identity, readAt: Date.now() } satisfies SavedIdentity, identityName);
  });
}

/** Deletes what is stored of what is gone: the reads of a kind whose keys end with its id. */
export async function forgetGone(
  queryClient: QueryClient,
  identity: Identity,
  kind: string,
  id: string,
): Promise<void> {
  const scope = scopeOf(identity);
  queryClient.removeQueries({
    queryKey: [kind],
    type: 'inactive',
    predicate: ({ queryKey }) => queryKey.at(-1) === id,
  });
  try {
    const names = (await withReads('readonly', (reads) => reads.getAllKeys(readsIn(scope)))).map(String);
    const isOfIt = (name: string) => name.startsWith(`${scope}["${kind}",`) && name.endsWith(`,"${id}"]`);
    await withReads('readwrite', (reads) => {
      for (const name of names.filter(isOfIt)) reads.delete(name);
      return reads.count();
    });
  } catch {
    // Storage is disabled: nothing is stored.
  }
}

/** Saves what is read from now on and what is there, until the returned function is called. */
export function startSaving(queryClient: QueryClient, identity: Identity): () => void {
  const scope = scopeOf(identity);
  const fresh = new Set<Query>();
  const begun = wipeCount();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    timer = undefined;
    // What was removed meanwhile is gone.
    const current = [...fresh].filter((query) => queryClient.getQueryCache().get(query.queryHash) === query);
    const reads = current.map(({ queryHash, queryKey, state }): [string, SavedRead] => [
      scope + queryHash,
      { queryKey, data: savedPartOf(state.data), readAt: state.dataUpdatedAt },
    ]);
    fresh.clear();
    // It would make the database again, with what a person who has signed out has read.
    if (wipeCount() !== begun) return;
    withReads('readwrite', (store) => {
      for (const [name, read] of reads) store.put(read, name);
      return store.count();
    }).catch(() => {});
  };
  const add = (query: Query) => {
    const [kind, workspaceId] = query.queryKey;
    if (!savedKinds.has(String(kind)) || workspaceId !== identity.workspace.id) return;
    if (query.state.status !== 'success') return;
    fresh.add(query);
    timer ??= setTimeout(save, batchMs);
  };
  const drop = (query: Query) => {
    const { queryKey } = query;
    fresh.delete(query);
    if (savedKinds.has(String(queryKey[0])) && queryKey[1] === identity.workspace.id)
      void forgetGone(queryClient, identity, String(queryKey[0]), String(queryKey.at(-1)));
  };
  let unsubscribe = () => {};
  let isOver = false;
  prepare(identity).then(
    () => {
      if (isOver) return;
      const cache = queryClient.getQueryCache();
      cache.getAll().forEach(add);
      unsubscribe = cache.subscribe((event) => {
        if (event.type !== 'updated') return;
        if (event.action.type === 'success') add(event.query);
        if (event.action.type === 'error' && problemOf(event.action.error).status === 404) drop(event.query);
      });
    },
    // Storage is disabled: the pages work without it.
    () => {},
  );
  return () => {
    isOver = true;
    unsubscribe();
    clearTimeout(timer);
  };
}

/**
 * The identity of the last session; its stored reads become the data of the queries. Null without one. The data counts
 * as stale, so the pages read it again as soon as they can.
 */
export async function restoreReads(queryClient: QueryClient): Promise<Identity | null> {
  try {
    const saved = (await withReads('readonly', (reads) => reads.get(identityName))) as SavedIdentity | undefined;
    if (!saved || isOld(saved.readAt)) return null;
    const scope = scopeOf(saved.identity);
    storedMessagesKey(queryClient, saved.identity.workspace.id);
    const found = (await withReads('readonly', (reads) => reads.getAll(readsIn(scope)))) as SavedRead[];
    for (const { queryKey, data, readAt } of found) {
      if (!isOld(readAt)) queryClient.setQueryData(queryKey, data, { updatedAt: readAt });
    }
    const readIdentity = () => void queryClient.invalidateQueries({ queryKey: identityQuery.queryKey });
    addEventListener('online', readIdentity, { once: true });
    return saved.identity;
  } catch {
    return null;
  }
}
