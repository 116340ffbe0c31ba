import { useEffect, useState } from 'react';
import { TextArea, TextField } from 'react-aria-components';
import { api, problemOf } from '../api/client.ts';
import { Card } from '../ui/card.tsx';
import { drafts, recorder, useDraft } from './current-recording.ts';
import { createDraft, type DraftView } from './draft.ts';
import type { Capture } from './queries.ts';

function newDraft({ id, notes }: Capture) {
  return createDraft<string>({
    name: 'notes',
    empty: '',
    of: { captureId: id, known: notes ?? '' },
    save: (captureId, text) => api.captures.update.mutate({ captureId, notes: text || null }),
  });
}

/** Notes of a capture, saved while typing. While this window records the capture, they use the recorder's draft. */
export function CaptureNotes({ capture }: { capture: Capture }) {
  const isHere = recorder.view().captureId === capture.id;
  const [own] = useState(() => newDraft(capture));
  const draft = isHere ? drafts.notes : own;
  const view = useDraft(draft);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => draft.refresh(capture.notes ?? ''), [draft, capture.notes]);
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
      {(isTouched || view.state !== 'saved') && <SaveState view={view} isBound />}
    </Card>
  );
}

const stateLabels = { saved: 'Saved', waiting: 'Saving…', saving: 'Saving…' };

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
