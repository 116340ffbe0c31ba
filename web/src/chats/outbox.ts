import type { Problem } from '../api/problem.ts';

/* Messages of a person on their way to the service: each is sent once, also over reloads and lost answers. */

/**
 * The status of a message.
 * - `waiting`: until the turn of the agent ends, or until the service takes more requests. It can be changed and
 *   withdrawn.
 * - `sending`: sent at least once without an answer; it is repeated with its key until there is one.
 * - `refused`: the service refused it, or it was sent too long ago to be repeated (then it has `sentAt`); see
 *   `problem`. It can be changed, withdrawn and sent again.
 * - `sent`: the service has it as the message `sequence`, which this window has not received yet.
 */
export type OutgoingState = 'waiting' | 'sending' | 'refused' | 'sent';

/** A message on its way. */
export interface Outgoing {
  /** Its idempotency key. */
  key: string;
  text: string;
  state: OutgoingState;
  /** Whether it is sent as soon as the agent does not work, however the turn ended: the person saw the end. */
  isDirect: boolean;
  /** Why it is not sent (yet), in the words of the service. */
  problem: string | null;
  /** The status of the refusal. */
  status: number | null;
  /** When it is sent again, in ms since 1970, where the service said how long that takes (`Retry-After`). */
  retryAt: number | null;
  /** When it was sent first without an answer since, in ms since 1970. */
  sentAt: number | null;
  sequence: number | null;
}

/** What an outbox needs. */
export interface OutboxParts {
  load(): Outgoing[] | undefined;
  /** Stores what is not sent yet; undefined for nothing. */
  store(all: Outgoing[] | undefined): void;
  newKey(): string;
  /** Sends a message; its sequence. */
  send(text: string, key: string): Promise<number>;
  problemOf(error: unknown): Problem;
  /** The time in ms since 1970. */
  now(): number;
  /** Resolves after `ms`. */
  pause(ms: number): Promise<void>;
  /** Whether they are still those of the person for whom this window acts: to the service, its sender wrote them. */
  isOwn(): boolean;
  /** The service answered that the agent works, which this page did not know. */
  onBusy(): void;
}

/** The state of the turn, as far as it decides what may be sent. */
export interface TurnState {
  isWorking: boolean;
  /** Whether a waiting message is sent without a press: the turn ended normally, and nobody has to decide anything. */
  hasEnded: boolean;
}

const firstPauseMs = 1_000;
const maxPauseMs = 30_000;
/**
 * The service keeps an idempotency key for 24 hours (docs/guides/idempotency.md): an hour is for clocks that differ.
 */
const keyMs = 23 * 60 * 60_000;
const tooOld =
  'It was sent more than a day ago and no answer came. The service may have it: look, then send it again or withdraw it.';

/** The messages of one chat that are on their way. */
export function createOutbox({ load, store, newKey, send, problemOf, now, pause, isOwn, onBusy }: OutboxParts) {
  let all: readonly Outgoing[] = load() ?? [];
  let turn: TurnState = { isWorking: true, hasEnded: false };
  /** While a message is sent, and before it is repeated. */
  let isBusy = false;
  let failures = 0;
  /** The last message that was received. */
  let seen = 0;
  const watchers = new Set<() => void>();

  const change = (next: readonly Outgoing[]) => {
    all = next;
    const kept = all.filter(({ state }) => state !== 'sent');
    store(kept.length > 0 ? kept : undefined);
    for (const changed of watchers) changed();
  };
  const set = (key: string, changes: Partial<Outgoing>) =>
    change(all.map((each) => (each.key === key ? { ...each, ...changes } : each)));

  /** Forgets what was received: the answer to a message may come after it. */
  const forget = () => {
    const rest = all.filter((each) => each.sequence === null || each.sequence > seen);
    if (rest.length < all.length) change(rest);
  };

  const deliver = async ({ key, text, state, sentAt }: Outgoing) => {
    if (sentAt !== null && now() - sentAt > keyMs) {
      set(key, { state: 'refused', problem: tooOld, status: null, retryAt: null });
      return pump();
    }
    isBusy = true;
    // Stored before it is sent: a page that is reloaded now repeats it with the same key.
    set(key, { state: 'sending', retryAt: null, sentAt: sentAt ?? now() });
    try {
      const sequence = await send(text, key);
      failures = 0;
      set(key, { state: 'sent', sequence, problem: null });
      forget();
    } catch (error) {
      const { status, reason, retryable, message, retryAfterSeconds = 0 } = problemOf(error);
      if (status === 409 && reason === 'agent_mid_turn') {
        set(key, { state: 'waiting', isDirect: false, problem: null, sentAt: null });
        turn = { isWorking: true, hasEnded: false };
        onBusy();
      } else if (retryable) {
        failures += 1;
        const growing = Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1));
        const isAsked = retryAfterSeconds > 0;
        // The service has not looked at it, so it can be taken back, unless an earlier answer was lost.
        const isUnseen = status === 429 && state === 'waiting';
        set(key, {
          problem: message,
          ...(isUnseen && { state: 'waiting', isDirect: true, sentAt: null }),
          ...(isAsked && { retryAt: now() + retryAfterSeconds * 1000 + growing }),
        });
        if (!isAsked) await pause(growing);
      } else set(key, { state: 'refused', problem: message, status, sentAt: null });
    }
    isBusy = false;
    pump();
  };

  /** The service asked for this pause, also of other messages. */
  const waitFor = async (ms: number) => {
    isBusy = true;
    await pause(ms);
    isBusy = false;
    pump();
  };

  const maySend = ({ state, isDirect }: Outgoing) =>
    state === 'sending' || (state === 'waiting' && !turn.isWorking && (isDirect || turn.hasEnded));

  /** Sends the first message that may be sent: one after the other, as each of them starts a turn. */
  function pump(): void {
    if (isBusy || !isOwn() || all.some(({ state }) => state === 'sent')) return;
    const next = all.find(({ state }) => state === 'sending') ?? all.find(maySend);
    const ms = (next?.retryAt ?? 0) - now();
    if (ms > 0) void waitFor(ms);
    else if (next) void deliver(next);
  }

  return {
    view: () => all,
    subscribe: (changed: () => void) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    /** Adds a message. `isDirect`: the agent does not work, or is being stopped for it. */
    add: (text: string, isDirect: boolean) => {
      const none = { problem: null, status: null, retryAt: null, sentAt: null, sequence: null };
      change([...all, { key: newKey(), text, state: 'waiting', isDirect, ...none }]);
      pump();
    },
    /** Takes a message back that was not sent; its text. Undefined when it is too late. */
    withdraw: (key: string): string | undefined => {
      const found = all.find((each) => each.key === key && (each.state === 'waiting' || each.state === 'refused'));
      if (found) change(all.filter((each) => each !== found));
      return found?.text;
    },
    /** Sends a message once the agent does not work, whatever its turn came to. */
    release: (key: string) => {
      const found = all.find((each) => each.key === key);
      if (found?.state === 'waiting') set(key, { isDirect: true });
      else if (found?.state === 'refused')
        set(key, { state: 'waiting', isDirect: true, problem: null, status: null, sentAt: null });
      pump();
    },
    /** The state of the turn has changed, or was read again. */
    turnIs: (state: TurnState) => {
      turn = state;
      pump();
    },
    /** Nothing can be sent any more, as the chat is gone: what waits can only be withdrawn. */
    refuse: ({ message, status }: Pick<Problem, 'message' | 'status'>) => {
      const refused = { state: 'refused', problem: message, status, retryAt: null } as const;
      const rest = all.filter(({ state }) => state !== 'sent');
      if (rest.length < all.length || rest.some(({ state }) => state === 'waiting'))
        change(rest.map((each) => (each.state === 'waiting' ? { ...each, ...refused } : each)));
    },
    /** Messages up to this sequence were received. */
    received: (sequence: number) => {
      seen = sequence;
      forget();
      pump();
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
