import { Suspense } from 'react';
import { Input, Label, Text, TextArea, TextField } from 'react-aria-components';
import { Pending } from '../ui/card.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Differing, SaveState } from './capture-notes.tsx';
import { recordingDrafts, useDraft, useRecorder } from './current-recording.ts';

// Tags can wait: the recorder is there sooner.
const TagsField = lazyPart(() => import('./tags-field.tsx').then(({ TagsField }) => TagsField));

/** Title, tags and notes of a recording, before and while recording. Saved while typing. */
export function RecordingDetails() {
  const drafts = recordingDrafts();
  const isBound = useRecorder().captureId !== null;
  const title = useDraft(drafts.title);
  const tags = useDraft(drafts.tags);
  const notes = useDraft(drafts.notes);
  const failed = [title, tags, notes].find(({ state }) => state === 'failed');
  const unsaved = [notes, title, tags].find(({ state }) => state !== 'saved');
  const touched = unsaved ?? (title.value || tags.value.length > 0 || notes.value ? notes : null);
  return (
    <section className="card" aria-label="About this recording">
      <div className="form">
        <TextField className="field" value={title.value} onChange={drafts.title.write} maxLength={300}>
          <Label>
            Title<span className="optional"> (optional)</span>
          </Label>
          <Text slot="description" className="hint">
            If empty, a title is generated from the transcript.
          </Text>
          <Input className="input" autoComplete="off" />
        </TextField>
        <Differing name="title" view={title} settle={drafts.title.settle} />
        <Suspense fallback={<Pending what="the tags" isPaused={false} />}>
          <TagsField label="Tags" value={tags.value} onChange={drafts.tags.write} />
        </Suspense>
        <Differing
          name="tags"
          view={tags}
          settle={(text) => drafts.tags.settle(text.split('\n').filter((tag) => tag !== ''))}
        />
        <TextField className="field" value={notes.value} onChange={drafts.notes.write} maxLength={100_000}>
          <Label>Notes</Label>
          <Text slot="description" className="hint">
            Decisions, names and “TODO: …” lines are used for the summary and the suggested todos.
          </Text>
          <TextArea className="input notes" rows={10} />
        </TextField>
        <Differing name="notes" view={notes} settle={drafts.notes.settle} />
        {touched && <SaveState view={failed ?? touched} isBound={isBound} />}
      </div>
    </section>
  );
}
