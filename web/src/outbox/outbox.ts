import { v7 as newId } from 'uuid';
import { reportProblem } from '../api/problem.ts';
import { type Identity, identityQuery, readAgain } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { keepAnswer, knownOf, shownOf } from './cache.ts';
import type { Draft, Outbox, Sent } from './draft.ts';
import { inverseOf } from './inverse.ts';
import { Queue } from './queue.ts';
import { send } from './send.ts';
import { openWrites } from './store.ts';
import { leadWhileShown } from './turns.ts';
import { blocks, concerns, type Outcome, type ShownWrite, type Write } from './write.ts';

/*
 * The outbox of this window: the queue, and what it has to do with the other windows and with what the pages have read.
 */

/** What windows send each other. */
type Message = { kind: 'changed' } | { kind: 'settled'; write: Write; outcome: Outcome };

/**
 * The outbox of a person in a workspace, which shows its writes. Never throws: without storage it lasts as long as the
 * window.
 */
export async function startOutbox(
  identity: Identity,
  showWrites: (writes: readonly ShownWrite[]) => void,
): Promise<Outbox> {
  const { user, workspace } = identity;
  const name = `tandem.outbox.${user.id}.${workspace.id}`;
  const store = await openWrites(user.id, workspace.id);
  const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel(name) : null;
  const waiters = new Map<string, (outcome: Outcome) => void>();
  /** Of which this window has said that they wait. */
  const waiting = new Set<string>();
  let stored: readonly ShownWrite[] = [];
  let isReading = false;
  let isClosed = false;
  let show: (message: string) => void = () => {};
  // What was being sent when the outbox was closed is still answered.
  const post = (message: Message) => isClosed || channel?.postMessage(message);
  const render = () => isClosed || showWrites([...stored, ...queue.writes.filter(isNotStored)]);
  const isNotStored = ({ id }: Write) => !stored.some((each) => each.id === id);

  /** Reads again what the pages show. Until then they show what was stored as it was shown before. */
  const readStored = async () => {
    if (isReading) return;
    isReading = true;
    while (stored.length > 0 && !isClosed) {
      const read = stored;
      await readAgain(queryClient, 'todos').catch(() => {});
      stored = stored.filter((write) => !read.includes(write));
      render();
    }
    isReading = false;
  };
  const settle = (write: Write, outcome: Outcome, isOwn: boolean) => {
    if (isClosed) return;
    if (outcome.state === 'stored') {
      keepAnswer(queryClient, workspace.id, outcome.todos, outcome.tagged);
      stored = [...stored, { ...write, isStored: true, ...(outcome.todos.length > 0 && { answers: outcome.todos }) }];
      render();
      void readStored();
    }
    const waiter = waiters.get(write.id);
    waiters.delete(write.id);
    waiter?.(outcome);
    // Made before this window was loaded, or said to wait: nobody waits for it any more.
    if (!waiter && (waiting.has(write.id) || (isOwn && write.madeAt < startedAt))) {
      if (outcome.state === 'refused') show(`A change is not stored. ${outcome.problem.message}`);
      if (outcome.state === 'conflict') show('Somebody else changed the same. Decide which one stays.');
    }
    if (outcome.state === 'waits') waiting.add(write.id);
    else waiting.delete(write.id);
  };
  const startedAt = Date.now();
  const queue = new Queue({
    store,
    newId,
    send: (write, hasWaited) => send(write, hasWaited, identity),
    problemOf: reportProblem,
    isSameSession: async () => {
      // Asked each time: within a second the session may have become that of another person.
      const now = await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 });
      return now?.user.id === user.id && now.workspace.id === workspace.id;
    },
    isOnline: () => navigator.onLine,
    now: Date.now,
    random: Math.random,
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    onChange: (_, isOwn) => {
      render();
      if (isOwn) post({ kind: 'changed' });
    },
    onSettled: (write, outcome) => {
      settle(write, outcome, true);
      post({ kind: 'settled', write, outcome });
    },
  });
  const wake = () => queue.wake();
  addEventListener('online', wake);
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'settled') settle(data.write, data.outcome, false);
    else void queue.load();
  });
  await queue.load().catch(() => {});
  const endTurn = leadWhileShown(name, {
    begin: () =>
      void queue
        .load()
        .catch(() => {})
        .then(() => queue.run()),
    end: () => queue.stop(),
  });

  /** Whether a write that is added now cannot be sent at once. */
  const isHeld = ({ todos }: Write) =>
    !navigator.onLine ||
    queue.writes.some(
      (each) =>
        (each.state === 'waiting' && each.problem !== null) ||
        (each.state !== 'waiting' && blocks(each) && todos.some(({ id }) => concerns(each, id))),
    );
  const add = async (draft: Draft): Promise<Sent> => {
    const write = writeOf(draft, workspace.id);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    if (isHeld(write)) {
      waiting.add(write.id);
      resolve({ state: 'waits' });
    } else waiters.set(write.id, resolve);
    await queue.add(write);
    return { write, outcome: promise };
  };
  return {
    add,
    undo: async (writes) => {
      const ids = writes.map(({ id }) => id);
      const withdrawn = await queue.discard(ids, false);
      const rest = writes.filter(({ id }) => !withdrawn.includes(id));
      const sent = await Promise.all(rest.flatMap(inverseOf).map(add));
      return Promise.all(sent.map(({ outcome }) => outcome));
    },
    discard: (id) => queue.discard([id]),
    retry: (id) => queue.retry(id),
    onOutcome: (by) => {
      show = by;
    },
    close: () => {
      isClosed = true;
      endTurn();
      removeEventListener('online', wake);
      channel?.close();
    },
  };
}

function writeOf({ action, todos, base, known, undoes }: Draft, workspaceId: string): Write {
  const [todo] = todos;
  const isOne = todos.length === 1 && todo !== undefined && action.operation !== 'create';
  return {
    id: newId(),
    action,
    todos,
    ...shownOf(queryClient, workspaceId, action, todos),
    ...(undoes && { undoes }),
    base: isOne && action.operation === 'update' ? baseOf(action.change, base ?? todo) : null,
    known: isOne ? (known ?? knownOf(queryClient, workspaceId, todo)) : null,
    madeAt: Date.now(),
    sentAt: null,
    state: 'waiting',
    problem: null,
    theirs: null,
  };
}

/** The part of a base that is about the fields of a change. */
function baseOf(change: object, base: object): object {
  const isMeant = (name: string) => name in change || (name === 'labels' && 'labelIds' in change);
  return Object.fromEntries(Object.entries(base).filter(([name]) => isMeant(name)));
}
