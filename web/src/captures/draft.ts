import { problemOf } from '../api/client.ts';

/**
 * - `saved`: stored by the service. `waiting`: will be sent soon, or once its capture exists. `saving`: being sent.
 * - `failed`: rejected by the service, see `error`; still stored in this window.
 */
export type DraftState = 'saved' | 'waiting' | 'saving' | 'failed';

export interface DraftView<Value> {
  value: Value;
  state: DraftState;
  error: unknown;
}

interface DraftParts<Value> {
  /** Part of its key in session storage. */
  name: string;
  empty: Value;
  /** Its capture, and the value at the service; omitted for a capture that does not exist yet. */
  of?: { captureId: string; known: Value };
  save(captureId: string, value: Value): Promise<unknown>;
}

const debounceMs = 700;
const maxWaitMs = 30_000;

function stored<Value>(key: string): Value | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

/** Stores or removes a value in session storage; does nothing where storage is disabled. */
function store(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {}
}

/**
 * A field of a capture that is saved while typing. Until the service has it, it is also in session storage, so that a
 * reload does not lose it.
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
  /** What this draft has sent, as JSON: an answer with it may be older than what was sent since. */
  const sent = new Set<string>();

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
      sent.add(JSON.stringify(value));
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
      later(Math.min(maxWaitMs, 1000 * 2 ** failures));
    }
  };
  /** Saves pending changes now. */
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    await saving;
    if (view.state === 'saved' || captureId === null) return;
    saving = send();
    await saving;
    saving = undefined;
    if (view.state === 'saving') later(debounceMs);
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
      if (captureId !== null) later(debounceMs);
    },
    /**
     * Assigns the draft to a capture. A value typed before is transferred; otherwise the unsaved value in session storage
     * is used, else `known`.
     */
    bind: (to: string, known: Value) => {
      if (to === captureId) return;
      const own = stored<Value>(keyOf(to));
      const transferred = captureId === null && view.state === 'saved' ? undefined : view.value;
      store(keyOf(captureId), undefined);
      clearTimeout(timer);
      captureId = to;
      const value = transferred ?? own;
      if (value === undefined) return show({ value: known, state: 'saved', error: null });
      store(keyOf(to), value);
      show({ value, state: 'waiting', error: null });
      later(0);
    },
    /** Takes over a newer value of the service, unless there are unsaved changes, or it is an own one. */
    refresh: (known: Value) => {
      const text = JSON.stringify(known);
      if (view.state === 'saved' && !sent.has(text) && text !== JSON.stringify(view.value)) show({ value: known });
    },
    /** Detaches the draft for the next capture. Unsaved changes stay in session storage. */
    release: () => {
      clearTimeout(timer);
      store(keyOf(null), undefined);
      sent.clear();
      captureId = null;
      show({ value: empty, state: 'saved', error: null });
    },
    flush,
  };
}

export type Draft<Value> = ReturnType<typeof createDraft<Value>>;
