import { Suspense, useRef, useState } from 'react';
import { TextArea, TextField } from 'react-aria-components';
import { useDraft } from '../agents/draft.ts';
import { problemOf } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty } from '../ui/card.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useReadCaptureAgain } from './capture-change.ts';
import { Markdown } from './markdown.tsx';
import type { Capture } from './queries.ts';
import { changeCapture, readCapture } from './tagged-capture.ts';

const TheirChange = lazyPart(() => import('../agents/their-change.tsx').then(({ TheirChange }) => TheirChange));

/** How often a text is saved again when another field was changed meanwhile. */
const maxTries = 5;

/** Saves the text of a note that had `base`. False where somebody else changed it meanwhile. @throws ProblemError. */
async function saveText(captureId: string, content: string | null, base: string | null): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const { resource, tag } = await readCapture(captureId);
    if (resource.content === content) return true;
    if (resource.content !== base) return false;
    try {
      await changeCapture(captureId, tag, { content });
      return true;
    } catch (error) {
      if (problemOf(error).status !== 412 || tries === maxTries) throw error;
    }
  }
}

/**
 * The text of a note, and its editor, which keeps what is not saved. A change generates summary and suggestions again.
 */
export function NoteText({ capture }: { capture: Capture }) {
  const { id, content } = capture;
  const [isEditing, setEditing] = useState(false);
  const { typed, ...draft } = useDraft<string | null>(`note.${id}`);
  const readCaptureAgain = useReadCaptureAgain();
  const asked = useRef<HTMLDivElement>(null);
  if (!isEditing && typed === null) {
    return (
      <Card
        title="Note"
        actions={
          <Button kind="quiet" onPress={() => setEditing(true)}>
            <Icon name="edit" />
            Edit
          </Button>
        }
      >
        {content ? <Markdown text={content} /> : <Empty title="The note is empty" />}
      </Card>
    );
  }
  const isStale = typed !== null && typed.base !== content && typed.value !== content;
  const save = async () => {
    if (isStale) return asked.current?.focus();
    const isSaved = typed === null || (await saveText(id, typed.value, typed.base));
    await readCaptureAgain();
    if (!isSaved) return;
    if (typed !== null) draft.saved(typed.value);
    setEditing(false);
  };
  return (
    <Card title="Note" intro="Saving generates the summary and suggested todos again.">
      {typed?.isRestored && (
        <p className="callout warn" role="status">
          This is not saved yet. You typed it before.
        </p>
      )}
      {isStale && (
        <Suspense>
          <TheirChange
            ref={asked}
            name="note"
            base={typed.base}
            mine={typed.value}
            theirs={content}
            onKeep={(kept) => draft.rebase(content, kept)}
            onTake={draft.clear}
          />
        </Suspense>
      )}
      <Form
        fields={{ content: { label: 'Note' } }}
        submit="Save"
        busy="Saving…"
        label="Note"
        onSubmit={save}
        actions={
          <Button
            onPress={() => {
              draft.clear();
              setEditing(false);
            }}
          >
            {typed?.isRestored ? 'Discard' : 'Cancel'}
          </Button>
        }
      >
        <TextField
          className="field"
          name="content"
          aria-label="Note"
          value={(typed === null ? content : typed.value) ?? ''}
          onChange={(text) => {
            setEditing(true);
            draft.write(text === '' ? null : text, content);
          }}
          maxLength={500_000}
          autoFocus={isEditing}
        >
          <TextArea className="input notes" rows={16} />
        </TextField>
      </Form>
    </Card>
  );
}
