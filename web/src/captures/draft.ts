import { problemOf } from '../api/client.ts';

/**
 * - `saved`: the service has it. `waiting`: it is about to be sent, or will be once its capture exists. `saving`.
 * - `failed`: the service refused it, see `error`; it is kept in this window.
 */
export type DraftState = 'saved' | 'waiting' | 'saving' | 'failed';

export interface DraftView<Value> {
  value: Value;
  state: DraftState;
  error: unknown;
}

interface DraftParts<Value> {
  /** Names it in the storage of this window. */
  name: string;
  empty: Value;
  /** The capture that it belongs to, and what the service has of it; omitted for one that is yet to be made. */
  of?: { captureId: string; known: Value };
  save(captureId: string, value: Value): Promise<unknown>;
}

const quietMs = 700;
const longestWaitMs = 30_000;

function stored<Value>(key: string): Value | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

/** Keeps or forgets it; a browser that keeps nothing loses it with the window only. */
function store(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {}
}

/**
 * A field of a capture that is saved as it is filled in. Until the service has it, it lies in the storage of this window
 * too, so that loading the page again does not lose it.
 */
export function createDraft<Value>({ name, empty, of, save }: DraftParts<Value>) {
  const listeners = new Set<() => void>();
  const keyOf = (captureId: string | null) => `tandem.${name}.${captureId ?? 'new'}`;
  let captureId = of?.captureId ?? null;
  const found = stored<Value>(keyOf(captureId));
  let view: DraftView<Value> = {
    value: found ?? of?.known ?? empty,
    state: found === undefined ? 'saved' : 'waiting',
    error: null,
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let saving: Promise<void> | undefined;

  const show = (changes: Partial<DraftView<Value>>) => {
    view = { ...view, ...changes };
    for (const listener of listeners) listener();
  };
  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };
  const send = async () => {
    const [to, value] = [captureId, view.value];
    if (to === null) return;
    show({ state: 'saving', error: null });
    try {
      await save(to, value);
      failures = 0;
      if (to !== captureId || view.value !== value) return;
      store(keyOf(to), undefined);
      show({ state: 'saved' });
    } catch (error) {
      if (to !== captureId) return;
      show({ state: 'failed', error });
      if (!problemOf(error).retryable) return;
      failures += 1;
      later(Math.min(longestWaitMs, 1000 * 2 ** failures));
    }
  };
  /** Saves now what is not saved yet. */
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    await saving;
    if (view.state === 'saved' || captureId === null) return;
    saving = send();
    await saving;
    saving = undefined;
    if (view.state === 'saving') later(quietMs);
  };

  if (captureId !== null && found !== undefined) later(0);
  return {
    view: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    write: (value: Value) => {
      store(keyOf(captureId), value);
      show({ value, state: 'waiting', error: null });
      if (captureId !== null) later(quietMs);
    },
    /**
     * From now on it belongs to this capture. What was filled in before goes with it; else it is `known`, unless this
     * window still holds something that was not saved.
     */
    bind: (to: string, known: Value) => {
      if (to === captureId) return;
      const own = stored<Value>(keyOf(to));
      const brought = captureId === null && view.state === 'saved' ? undefined : view.value;
      store(keyOf(captureId), undefined);
      clearTimeout(timer);
      captureId = to;
      const value = brought ?? own;
      if (value === undefined) return show({ value: known, state: 'saved', error: null });
      store(keyOf(to), value);
      show({ value, state: 'waiting', error: null });
      later(0);
    },
    /** What the service has now; taken over unless something else was filled in here. */
    learn: (known: Value) => {
      if (view.state === 'saved' && JSON.stringify(known) !== JSON.stringify(view.value)) show({ value: known });
    },
    /** For the next capture. What is not saved yet stays stored for this one. */
    release: () => {
      clearTimeout(timer);
      store(keyOf(null), undefined);
      captureId = null;
      show({ value: empty, state: 'saved', error: null });
    },
    flush,
  };
}

export type Draft<Value> = ReturnType<typeof createDraft<Value>>;
