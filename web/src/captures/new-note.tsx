import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Input, Label, Text, TextArea, TextField } from 'react-aria-components';
import { api } from '../api/client.ts';
import { once } from '../api/once.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useGoOn } from '../ui/here.ts';
import { Page } from '../ui/page.tsx';
import { useNoteDraft } from './note-draft.ts';
import { TagsField } from './tags-field.tsx';

const fields: Fields = { content: { label: 'Note', required: 'Write something' } };

/** createCapture takes the title from a heading above the text. */
function withTitle(title: string, content: string): string {
  const line = title.replace(/\s+/g, ' ').trim();
  return line === '' ? content : `# ${line}\n\n${content}`;
}

/** Page `/captures/new`. */
export function NewNote() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const goOn = useGoOn();
  const { note, write, saved } = useNoteDraft(workspace.id);
  const [tags, setTags] = useState<string[]>([]);
  const save = async () => {
    const content = withTitle(note.title, note.content);
    const { id } = await once(api.captures.create.mutate, { type: 'note', content, tags });
    saved(note);
    void readAgain(queryClient, 'captures');
    await goOn(`/captures/${id}`);
  };
  return (
    <Page
      title="New note"
      intro={`Visible to all members of ${workspace.name}. A summary and suggested todos are added.`}
    >
      <section className="card">
        <Form
          fields={fields}
          submit="Save note"
          busy="Saving…"
          onSubmit={save}
          actions={<ButtonLink to="/captures">Cancel</ButtonLink>}
        >
          <TextField className="field" value={note.title} onChange={(title) => write({ title })} maxLength={290}>
            <Label>
              Title<span className="optional"> (optional)</span>
            </Label>
            <Input className="input" autoComplete="off" />
          </TextField>
          <TextField
            className="field"
            name="content"
            isRequired
            value={note.content}
            onChange={(content) => write({ content })}
            maxLength={499_000}
          >
            <Label>Note</Label>
            <Text slot="description" className="hint">
              Markdown is fine. “TODO: …” lines become suggested todos.
            </Text>
            <TextArea className="input notes" rows={14} />
          </TextField>
          <TagsField label="Tags" value={tags} onChange={setTags} />
        </Form>
      </section>
    </Page>
  );
}
