import { useEffect, useState } from 'react';
import { TextArea, TextField } from 'react-aria-components';
import { api } from '../api/client.ts';
import { Card } from '../ui/card.tsx';
import { drafts, recorder, useDraft } from './current-recording.ts';
import { createDraft } from './draft.ts';
import type { Capture } from './queries.ts';
import { SaveState } from './save-state.tsx';

function newDraft({ id, notes }: Capture) {
  return createDraft<string>({
    name: 'notes',
    empty: '',
    of: { captureId: id, known: notes ?? '' },
    save: (captureId, text) => api.captures.update.mutate({ captureId, notes: text || null }),
  });
}

/** Notes beside a capture, saved as they are typed. While this window records it, they are those of the recorder. */
export function CaptureNotes({ capture }: { capture: Capture }) {
  const isHere = recorder.view().captureId === capture.id;
  const [own] = useState(() => newDraft(capture));
  const draft = isHere ? drafts.notes : own;
  const view = useDraft(draft);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => draft.learn(capture.notes ?? ''), [draft, capture.notes]);
  useEffect(() => () => void draft.flush(), [draft]);
  return (
    <Card
      title="Notes"
      intro={capture.transcript === null ? undefined : 'Beside what was said; corrections of the transcript go here.'}
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
