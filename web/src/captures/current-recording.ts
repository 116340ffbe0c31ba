import { useSyncExternalStore } from 'react';
import type { Actor } from '../api/acting.ts';
import { api, ProblemError, problemOf } from '../api/client.ts';
import { reportProblem } from '../api/problem.ts';
import { guardSession } from '../session/session.ts';
import { captureDraft } from './capture-draft.ts';
import { actorScope, type Draft, type DraftView } from './draft.ts';
import { createRecorder, type NewRecording } from './recorder/recorder.ts';
import { hasUnsaved, isBusy, type RecorderView } from './recorder/view.ts';
import { createWakeLock } from './recorder/wake-lock.ts';
import { actorNow, readCapture } from './tagged-capture.ts';

/* The recorder of this window. It is independent of the pages, so that other pages can be opened while it records. */

const flushMs = 5_000;

const newDrafts = () => ({
  title: captureDraft<string>('title', ''),
  tags: captureDraft<string[]>('tags', []),
  notes: captureDraft<string>('notes', ''),
});
let drafts = newDrafts();
let draftsScope = actorScope();

/** Title, tags and notes that are typed during a recording, of who records; else of the person of this window. */
export function recordingDrafts(): typeof drafts {
  if (draftsScope !== actorScope() && recorder.view().phase === 'idle') {
    drafts = newDrafts();
    draftsScope = actorScope();
  }
  return drafts;
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The person who records. The session of this browser may be that of somebody else now, or in another workspace. */
let owner: Actor | undefined;
/** What the capture had from its start. */
let begun: NewRecording = {};

function conflict(message: string): ProblemError {
  return new ProblemError({ status: 409, code: 'resource_conflict', message, retryable: false, errors: [] });
}

/** Whether this window shows the person and the workspace that the audio belongs to. */
export function isOwner(): boolean {
  const now = actorNow();
  return now?.user.id === owner?.user.id && now?.workspace.id === owner?.workspace.id;
}

/** @throws ProblemError when the audio of this window would be stored in another workspace, or for another person. */
function requireOwner(): void {
  if (isOwner()) return;
  throw conflict('It was recorded in another workspace, or by somebody else. Switch back to save it there.');
}

export const recorder = createRecorder({
  openSession: async (about) => {
    requireOwner();
    begun = about;
    return api.captures.startRecording.mutate(about).catch((error: unknown) => {
      reportProblem(error);
      throw error;
    });
  },
  discard: async (captureId) => void (await api.captures.delete.mutate({ captureId, permanent: true })),
  statusOf: (captureId) =>
    readCapture(captureId, owner).then(
      ({ resource }) => (resource.status === 'recording' ? 'recording' : 'over'),
      (error: unknown) => (problemOf(error).code === 'resource_not_found' ? 'erased' : 'unknown'),
    ),
  beforeStop: () =>
    Promise.race([Promise.all(Object.values(drafts).map((draft) => draft.flush())), wait(flushMs)]).then(() => {}),
});

const wakeLock = createWakeLock();
recorder.subscribe(() => {
  const { phase, captureId } = recorder.view();
  if (phase === 'asking') owner = actorNow();
  wakeLock.hold(phase === 'recording');
  if (captureId === null) return;
  drafts.title.bind(captureId, begun.title ?? '');
  drafts.tags.bind(captureId, begun.tags ?? []);
  drafts.notes.bind(captureId, '');
});

/** The state of this window's recorder. */
export function useRecorder(): RecorderView {
  return useSyncExternalStore(recorder.subscribe, recorder.view);
}

/** Value and state of a draft. */
export function useDraft<Value>(draft: Draft<Value>): DraftView<Value> {
  return useSyncExternalStore(draft.subscribe, draft.view);
}

/** Resets recorder and drafts for another recording. */
export function resetRecorder(): void {
  recorder.reset();
  for (const draft of Object.values(drafts)) draft.release();
}

/** Deletes what this window stores for the person who signs out: unsaved drafts, and how to resume a recording. */
function clearStoredData(): void {
  resetRecorder();
  try {
    const ours = Object.keys(sessionStorage).filter((name) => name.startsWith('tandem.'));
    for (const name of ours) sessionStorage.removeItem(name);
  } catch {
    // Storage is disabled.
  }
}

/**
 * @throws ProblemError while a recording is running, and before the end of the session while its audio is not saved.
 */
function requireNoRecording(ends: boolean): void {
  const view = recorder.view();
  if (isBusy(view)) throw conflict('A recording is running in this window. Stop it first.');
  if (ends && hasUnsaved(view))
    throw conflict('The end of a recording is only in this window. Save or discard it first, on the page Record.');
}

guardSession({ check: ({ ends }) => requireNoRecording(ends), clear: clearStoredData });
