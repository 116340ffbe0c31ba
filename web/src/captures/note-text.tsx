import { useState } from 'react';
import { TextArea, TextField } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { Card, Empty } from '../ui/card.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icons.tsx';
import { useChangeCapture } from './capture-change.ts';
import { Markdown } from './markdown.tsx';
import type { Capture } from './queries.ts';

/** The text of a note, and its editor. A change generates summary and suggestions again. */
export function NoteText({ capture }: { capture: Capture }) {
  const { id, content } = capture;
  const [isEditing, setEditing] = useState(false);
  const change = useChangeCapture(id);
  if (isEditing) {
    return (
      <Card title="Note" intro="Saving generates the summary and suggested todos again.">
        <Form
          fields={{ content: { label: 'Note' } }}
          submit="Save"
          busy="Saving…"
          label="Note"
          onSubmit={async (filled) => {
            await change({ content: filled.text('content') || null });
            setEditing(false);
          }}
          actions={<Button onPress={() => setEditing(false)}>Cancel</Button>}
        >
          <TextField
            className="field"
            name="content"
            aria-label="Note"
            defaultValue={content ?? ''}
            maxLength={500_000}
            autoFocus
          >
            <TextArea className="input notes" rows={16} />
          </TextField>
        </Form>
      </Card>
    );
  }
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
