import { Suspense, useEffect, useState } from 'react';
import { TextArea, TextField } from 'react-aria-components';
import { problemOf } from '../api/client.ts';
import { Card } from '../ui/card.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { captureDraft } from './capture-draft.ts';
import { isOwner, recorder, recordingDrafts, useDraft } from './current-recording.ts';
import type { DraftView } from './draft.ts';
import type { Capture } from './queries.ts';
import type { TheirDraftProps } from './their-draft.tsx';

const TheirDraft = lazyPart(() => import('./their-draft.tsx').then(({ TheirDraft }) => TheirDraft));

/** Notes of a capture, saved while typing. While this window records the capture, they use the recorder's draft. */
export function CaptureNotes({ capture }: { capture: Capture }) {
  const { id, notes } = capture;
  const [draft] = useState(() =>
    // Two drafts would take each other's text for that of somebody else.
    recorder.view().captureId === id && isOwner()
      ? recordingDrafts().notes
      : captureDraft<string>('notes', '', { captureId: id, known: notes ?? '' }),
  );
  const view = useDraft(draft);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => draft.refresh(notes ?? ''), [draft, notes]);
  useEffect(() => () => void draft.flush(), [draft]);
  return (
    <Card
      title="Notes"
      intro={
        capture.transcript === null
          ? undefined
          : 'Your notes beside the transcript. Put corrections of the transcript here.'
      }
    >
      <TextField
        className="field"
        aria-label="Notes"
        value={view.value}
        onChange={(text) => {
          setTouched(true);
          draft.write(text);
        }}
        maxLength={100_000}
      >
        <TextArea className="input notes" rows={5} />
      </TextField>
      <Differing name="notes" view={view} settle={draft.settle} />
      {(isTouched || view.state !== 'saved') && <SaveState view={view} isBound />}
    </Card>
  );
}

/** What somebody else changed at the same time as a draft, if anything, and which of both stays. */
export function Differing(props: TheirDraftProps) {
  return <Suspense>{props.view.theirs !== null && <TheirDraft {...props} />}</Suspense>;
}

const stateLabels = { saved: 'Saved', waiting: 'Saving…', saving: 'Saving…', differs: 'Not saved yet' };

/** Whether a draft is saved. */
export function SaveState({ view, isBound }: { view: DraftView<unknown>; isBound: boolean }) {
  if (view.state === 'failed') {
    const problem = problemOf(view.error);
    return (
      <p className="save-state bad" role="alert">
        Not saved yet: {problem.message} {problem.retryable && 'It is stored in this window and will be retried.'}
      </p>
    );
  }
  return <p className="save-state">{isBound ? stateLabels[view.state] : 'Saved once the recording starts'}</p>;
}
