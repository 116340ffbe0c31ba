import { useSyncExternalStore } from 'react';
import { keyed } from 'tandem/client';
import { api, ProblemError, problemOf } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { deleteShared } from '../offline/shared.ts';
import { guardSession } from '../session/session.ts';
import { actorScope } from './draft.ts';
import { importFault, kindOf, titleOf, transcriptIn } from './import-files.ts';

/* The files that this window imports, one after the other. They go on while other pages are open. */

/** `offered`: another application shared it, and the person has not decided yet. */
export type ImportState = 'offered' | 'waiting' | 'working' | 'done' | 'failed';

export interface Import {
  /** Its idempotency key: sent again after a lost answer, it makes no second capture. */
  key: string;
  file: File;
  /** Who added it, and in which workspace: it is shown and imported there alone. */
  scope: string;
  state: ImportState;
  /** From 0 to 1, of a recording that is being sent. */
  progress: number;
  /** Why it failed, or why only a part of it was imported. */
  problem: string | null;
  /** What it became; until it is `done`, a part that an earlier try has left behind. */
  captureId: string | null;
}

let imports: readonly Import[] = [];
let isRunning = false;
const listeners = new Set<() => void>();

function show(next: readonly Import[]): void {
  imports = next;
  for (const listener of listeners) listener();
}

function change(key: string, changes: Partial<Import>): void {
  show(imports.map((each) => (each.key === key ? { ...each, ...changes } : each)));
}

const isOwn = ({ scope }: Import) => scope === actorScope();

/** @throws ProblemError where the window has become that of somebody else, or of another workspace. */
function requireOwn(one: Import): void {
  if (!isOwn(one)) throw importFault('It was added in another workspace, or by somebody else. Try again.');
}

function statusOf(reading: Promise<{ resource: { status: string } }>) {
  return reading.then(
    ({ resource: { status } }) => (status === 'recording' ? 'recording' : 'over') as 'recording' | 'over',
    (error: unknown) => (problemOf(error).code === 'resource_not_found' ? 'erased' : 'unknown') as 'erased' | 'unknown',
  );
}

type Imported = Pick<Import, 'captureId' | 'problem'>;

/** Erases a part of a recording: it would be there twice when it is imported again. */
async function erase(captureId: string): Promise<void> {
  await api.captures.delete.mutate({ captureId, permanent: true }).catch((error: unknown) => {
    if (problemOf(error).status !== 404) throw error;
  });
}

async function importAudio(one: Import): Promise<Imported> {
  const { key, file } = one;
  const { decodedAudio, sendAudio } = await import('./audio-file.ts');
  const { actorNow, readCapture } = await import('./tagged-capture.ts');
  // First: a file that cannot be read makes no capture.
  const audio = await decodedAudio(file);
  requireOwn(one);
  if (one.captureId !== null) await erase(one.captureId);
  const actor = actorNow();
  const title = titleOf(file.name);
  const session = await api.captures.startRecording.mutate(title === null ? {} : { title });
  const { captureId } = session;
  try {
    const problem = await sendAudio({
      session,
      audio,
      status: () => statusOf(readCapture(captureId, actor)),
      onProgress: (progress) => change(key, { progress }),
    });
    return { captureId, problem };
  } catch (error) {
    // Refused where the window has become that of somebody else: it is erased before the next try.
    const left = await erase(captureId).then(
      () => null,
      () => captureId,
    );
    change(key, { captureId: left });
    throw error;
  }
}

async function importFile(one: Import): Promise<Imported> {
  if (kindOf(one.file) === 'audio') return importAudio(one);
  const transcript = await transcriptIn(one.file);
  requireOwn(one);
  const { id } = await api.captures.create.mutate({ type: 'recording', transcript }, keyed(one.key));
  return { captureId: id, problem: null };
}

async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  for (let next = nextWaiting(); next; next = nextWaiting()) {
    const { key } = next;
    change(key, { state: 'working', problem: null, progress: 0 });
    await importFile(next).then(
      (imported) => {
        change(key, { state: 'done', ...imported });
        // What another application shared is there now, and not offered again.
        void deleteShared([key]);
      },
      // Nobody sees it now: it is sent again once its person is back.
      (error: unknown) =>
        change(key, isOwn(next) ? { state: 'failed', problem: problemOf(error).message } : { state: 'waiting' }),
    );
  }
  isRunning = false;
}

// What waits for its person goes on when they are back, whatever page is open.
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'updated' && query.queryKey[0] === 'identity') void run();
});

function nextWaiting(): Import | undefined {
  return imports.find((each) => each.state === 'waiting' && isOwn(each));
}

const userIn = (scope: string) => scope.split('/')[0];

/**
 * Adds files; those that are not `offered` are imported at once. A `key` that is there already is not added again; what
 * was offered to this person in another workspace is offered in this one.
 */
export function addImports(files: readonly { file: File; key?: string }[], state: 'offered' | 'waiting'): void {
  const scope = actorScope();
  const isElsewhere = (each: Import) =>
    each.state === 'offered' && !isOwn(each) && userIn(each.scope) === userIn(scope);
  const kept = imports.filter((each) => !isElsewhere(each) || files.every(({ key }) => key !== each.key));
  const added = files
    .filter(({ key }) => !kept.some((each) => each.key === key))
    .map(({ file, key = crypto.randomUUID() }): Import => {
      const one: Import = { key, file, scope, state, progress: 0, problem: null, captureId: null };
      try {
        kindOf(file);
        return one;
      } catch (error) {
        return { ...one, state: 'failed', problem: problemOf(error).message };
      }
    });
  show([...kept, ...added]);
  void run();
}

/** Imports what was offered, or tries again what failed. */
export function startImports(keys: readonly string[]): void {
  show(
    imports.map((each) =>
      isOwn(each) && keys.includes(each.key) ? { ...each, state: 'waiting', problem: null } : each,
    ),
  );
  void run();
}

/** Removes files from the list; not those that are being imported. */
export function removeImports(keys: readonly string[]): void {
  show(imports.filter(({ key, state }) => state === 'working' || !keys.includes(key)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The files that the person of this window added in this workspace, in their order. */
export function useImports(): readonly Import[] {
  return useSyncExternalStore(subscribe, () => imports).filter(isOwn);
}

const isUnderWay = () => imports.some((each) => isOwn(each) && (each.state === 'waiting' || each.state === 'working'));

addEventListener('beforeunload', (event) => {
  if (isUnderWay()) event.preventDefault();
});

guardSession({
  check: () => {
    if (!isUnderWay()) return;
    throw new ProblemError({
      status: 409,
      code: 'resource_conflict',
      message: 'Files are being imported in this window. Wait until they are there.',
      retryable: false,
      errors: [],
    });
  },
  clear: () => show([]),
});
