import { actingAs } from '../api/acting.ts';
import { problemOf, reportProblem } from '../api/problem.ts';

/**
 * - `saved`: stored by the service. `waiting`: will be sent soon, or once its capture exists. `saving`: being sent.
 * - `failed`: rejected by the service, see `error`; still stored in this window.
 * - `differs`: not sent, because somebody else changed the same meanwhile, see `theirs`; it waits for `settle`.
 */
export type DraftState = 'saved' | 'waiting' | 'saving' | 'failed' | 'differs';

export interface DraftView<Value> {
  value: Value;
  state: DraftState;
  error: unknown;
  /** What somebody else made of the value that this draft was begun with. */
  theirs: { value: Value; base: Value } | null;
}

/** A value at the service, and the entity tag of its capture. */
export interface Known<Value> {
  value: Value;
  tag: string;
}

export interface DraftParts<Value> {
  /** Part of its key in session storage. */
  name: string;
  empty: Value;
  /** Its capture, and the value at the service; omitted for a capture that does not exist yet. */
  of?: { captureId: string; known: Value };
  /** The value as the service stores it. */
  asStored?: (value: Value) => Value;
  read(captureId: string): Promise<Known<Value>>;
  /** Saves a value if the capture still has the tag. @throws ProblemError, 412 when it has another one. */
  save(captureId: string, value: Value, tag: string): Promise<Known<Value>>;
}

/** The capture that a draft belongs to. */
interface Place<Value> {
  captureId: string | null;
  /** What the service has as far as this window knows: what it had, and what was sent since and not answered. */
  bases: Value[];
  /** Unknown after a failure: the request may have been carried out. */
  known?: Known<Value> | undefined;
}

type Stored<Value> = Pick<Place<Value>, 'bases'> & { value: Value };

const debounceMs = 700;
const maxWaitMs = 30_000;
/** How often a change is made again of a capture that was changed elsewhere, before its error is shown. */
const maxRounds = 5;

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function stored<Value>(key: string): Stored<Value> | undefined {
  try {
    const text = sessionStorage.getItem(key);
    if (text === null) return undefined;
    return JSON.parse(text) as Stored<Value>;
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

/** The person and the workspace that the pages of this window show. */
export const actorScope = (): string => actingAs()['Tandem-Acting-As'] ?? '';

/**
 * A field of a capture that is saved while typing, unless somebody else changed it meanwhile. Until the service has the
 * value, it is also in session storage, so that a reload does not lose it. It belongs to the person for whom it was
 * made: it is never sent for anybody else, nor into another workspace.
 */
export function createDraft<Value>({ name, empty, of, asStored = (value) => value, read, save }: DraftParts<Value>) {
  const listeners = new Set<() => void>();
  const scope = actorScope();
  const [userId, workspaceId] = scope.split('/');
  // shell/background.ts reads the names too.
  const keyOf = (captureId: string | null) => `tandem.draft.${userId}.${name}.${captureId ?? `new.${workspaceId}`}`;
  const found = stored<Value>(keyOf(of?.captureId ?? null));
  const initial = of?.known ?? empty;
  let place: Place<Value> = { captureId: of?.captureId ?? null, bases: found?.bases ?? [initial] };
  let view: DraftView<Value> = {
    value: found ? found.value : initial,
    state: found ? 'waiting' : 'saved',
    error: null,
    theirs: null,
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
  const keep = () => store(keyOf(place.captureId), { value: view.value, bases: place.bases });
  const wait = (value: Value) => {
    show({ value, state: 'waiting', error: null, theirs: null });
    keep();
  };

  /** Saves a value; returns what the service has instead when that is of somebody else. */
  const put = async (at: Place<Value>, captureId: string, value: Value): Promise<Known<Value> | null> => {
    for (let round = 1; ; round++) {
      at.known ??= await read(captureId);
      const { value: current, tag } = at.known;
      if (isSame(current, value)) return null;
      if (!at.bases.some((base) => isSame(base, current))) return at.known;
      at.bases = [current, value];
      if (at === place) keep();
      at.known = undefined;
      try {
        at.known = await save(captureId, value, tag);
        return null;
      } catch (error) {
        if (problemOf(error).status !== 412 || round === maxRounds) throw error;
      }
    }
  };
  const send = async (at: Place<Value>, captureId: string) => {
    const { value } = view;
    show({ state: 'saving', error: null });
    try {
      sent.add(JSON.stringify(value));
      const theirs = await put(at, captureId, asStored(value));
      failures = 0;
      if (at !== place) return;
      if (theirs) return show({ state: 'differs', theirs: { value: theirs.value, base: at.bases[0] ?? empty } });
      at.bases = [at.known?.value ?? value];
      if (view.value !== value) return keep();
      store(keyOf(captureId), undefined);
      show({ state: 'saved' });
    } catch (error) {
      if (at !== place) return;
      show({ state: 'failed', error });
      if (!reportProblem(error).retryable) return;
      failures += 1;
      later(Math.min(maxWaitMs, 1000 * 2 ** failures));
    }
  };
  /** Saves pending changes now. */
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    while (saving) await saving;
    if (view.state === 'saved' || view.state === 'differs' || place.captureId === null || scope !== actorScope())
      return;
    saving = send(place, place.captureId);
    await saving;
    saving = undefined;
    if (view.state === 'saving') later(debounceMs);
  };

  if (place.captureId !== null && found) later(0);
  return {
    view: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    write: (value: Value) => {
      if (view.state === 'differs') {
        show({ value });
        return keep();
      }
      wait(value);
      if (place.captureId !== null) later(debounceMs);
    },
    /** Goes on with a value that was made of what the other person wrote. */
    settle: (value: Value) => {
      if (view.theirs) place.bases = [view.theirs.value];
      wait(value);
      void flush();
    },
    /**
     * Assigns the draft to a capture. A value typed before is transferred; otherwise the unsaved value in session
     * storage is used, else `known`.
     */
    bind: (to: string, known: Value) => {
      if (to === place.captureId) return;
      const own = stored<Value>(keyOf(to));
      const isTransferred = place.captureId !== null || view.state !== 'saved';
      store(keyOf(place.captureId), undefined);
      clearTimeout(timer);
      place = { captureId: to, bases: (isTransferred ? undefined : own?.bases) ?? [known] };
      if (!isTransferred && !own) return show({ value: known, state: 'saved', error: null, theirs: null });
      wait(isTransferred || !own ? view.value : own.value);
      later(0);
    },
    /** Takes over a newer value of the service, unless there are unsaved changes, or it is an own one. */
    refresh: (known: Value) => {
      if (view.state !== 'saved' || sent.has(JSON.stringify(known)) || isSame(known, view.value)) return;
      [place.bases, place.known] = [[known], undefined];
      show({ value: known });
    },
    /** Detaches the draft for the next capture. Unsaved changes stay in session storage. */
    release: () => {
      clearTimeout(timer);
      store(keyOf(null), undefined);
      sent.clear();
      place = { captureId: null, bases: [empty] };
      show({ value: empty, state: 'saved', error: null, theirs: null });
    },
    flush,
  };
}

export type Draft<Value> = ReturnType<typeof createDraft<Value>>;
