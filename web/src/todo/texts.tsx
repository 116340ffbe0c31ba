import { useId, useRef, useState } from 'react';
import { Markdown } from '../captures/markdown.tsx';
import { Button } from '../ui/button.tsx';
import { Card, Empty } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import type { Change, Todo } from './merge.ts';

interface TextsProps {
  todo: Todo;
  save: (change: Change, base: Todo) => Promise<boolean>;
}

/** The title, saved when the focus leaves it and with Enter. What could not be saved stays in the field. */
export function TitleField({ todo, save }: TextsProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const base = useRef(todo);
  const store = async () => {
    if (typed === null) return;
    const title = typed.trim();
    if (title === '' || title === todo.title || (await save({ title }, base.current))) setTyped(null);
  };
  return (
    <div className="field">
      <label htmlFor={id}>Title</label>
      <input
        id={id}
        className="input"
        maxLength={500}
        value={typed ?? todo.title ?? ''}
        onFocus={() => {
          if (typed === null) base.current = todo;
        }}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => void store()}
        onKeyDown={({ key, nativeEvent }) => {
          if (key === 'Enter' && !nativeEvent.isComposing) void store();
          if (key === 'Escape') setTyped(null);
        }}
      />
    </div>
  );
}

/** The Markdown text, shown or edited as it is written. */
export function BodyField({ todo, save }: TextsProps) {
  const [draft, setDraft] = useState<{ text: string; base: Todo } | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (draft === null) {
    return (
      <Card
        title="Text"
        actions={
          <Button kind="quiet" onPress={() => setDraft({ text: todo.content ?? '', base: todo })}>
            <Icon name="edit" />
            Edit
          </Button>
        }
      >
        {todo.content ? <Markdown text={todo.content} /> : <Empty title="No text" />}
      </Card>
    );
  }
  const store = async () => {
    setBusy(true);
    const content = draft.text === '' ? null : draft.text;
    const isSaved = content === draft.base.content || (await save({ content }, draft.base));
    setBusy(false);
    if (isSaved) setDraft(null);
  };
  return (
    <Card title="Text" intro="Markdown, kept as written.">
      <textarea
        className="input"
        aria-label="Text"
        rows={12}
        maxLength={50_000}
        value={draft.text}
        onChange={(event) => setDraft({ ...draft, text: event.target.value })}
      />
      <div className="form-actions">
        <Button kind="primary" isBusy={isBusy} onPress={() => void store()}>
          {isBusy ? 'Saving…' : 'Save'}
        </Button>
        <Button onPress={() => setDraft(null)}>Cancel</Button>
      </div>
    </Card>
  );
}
