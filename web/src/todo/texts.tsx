import { type ReactNode, useId, useRef, useState } from 'react';
import { Markdown } from '../captures/markdown.tsx';
import type { Todo } from '../outbox/merge.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { isComposing } from '../ui/typed-ahead.tsx';
import { type Save, useOneSave } from './opened.ts';
import { storedAs, type TextDraft } from './text-draft.ts';

interface TextsProps {
  todo: Todo;
  draft: TextDraft;
  save: Save;
  /** Whether a conflict about it asks already. */
  isAsked: boolean;
}

interface DraftNoteProps {
  draft: TextDraft;
  /** The word for the text. */
  name: string;
  /** Its value by now. */
  current: string | null;
  isAsked: boolean;
  children?: ReactNode;
}

/** Says that a text is from before a reload, and that the todo changed since it was begun. */
function DraftNote({ draft: { typed }, name, current, isAsked, children }: DraftNoteProps) {
  if (typed === null) return null;
  const isStale = !isAsked && current !== typed.base && (current ?? '') !== typed.text;
  if (!typed.isRestored && !isStale) return null;
  return (
    <div className="callout warn" role="status">
      <div>
        {typed.isRestored && <p className="callout-title">This {name} is not saved yet. You typed it before.</p>}
        {isStale && (
          <>
            <p>Somebody else changed the {name} since you began. If you save, you are asked which one stays.</p>
            <p className="conflict-value">Theirs: {current ?? 'empty'}</p>
          </>
        )}
        {typed.isRestored && children}
      </div>
    </div>
  );
}

/**
 * The title, saved when the focus leaves it and with Enter. What could not be saved stays in the field, and is tried
 * again with Enter alone; what is restored is saved only when the person says so.
 */
export function TitleField({ todo, draft, save, isAsked }: TextsProps) {
  const id = useId();
  const { typed } = draft;
  const refused = useRef<string>(null);
  const saveOnce = useOneSave();
  const store = async () => {
    if (typed === null) return;
    const title = storedAs.title(typed.text);
    await saveOnce(title, async () => {
      if (title === '' || title === todo.title) return draft.clear();
      const isSaved = await save({ title }, { title: typed.base });
      if (isSaved) draft.saved(title);
      refused.current = isSaved ? null : typed.text;
    });
  };
  return (
    <div className="field">
      <label htmlFor={id}>Title</label>
      <input
        id={id}
        className="input"
        maxLength={500}
        value={typed?.text ?? todo.title ?? ''}
        onFocus={({ target }) => draft.write(target.value, todo)}
        onChange={(event) => draft.write(event.target.value, todo)}
        onBlur={() => {
          if (typed?.text === (typed?.base ?? '')) draft.clear();
          else if (!typed?.isRestored && typed?.text !== refused.current) void store();
        }}
        onKeyDown={({ key, nativeEvent }) => {
          if (isComposing(nativeEvent)) return;
          if (key === 'Enter') void store();
          if (key === 'Escape') draft.clear();
        }}
      />
      <DraftNote draft={draft} name="title" current={todo.title} isAsked={isAsked}>
        <div className="form-actions">
          <Button onPress={() => void store()}>Save title</Button>
          <Button onPress={draft.clear}>Discard</Button>
        </div>
      </DraftNote>
    </div>
  );
}

/** The Markdown text, shown or edited as it is written. */
export function BodyField({ todo, draft, save, isAsked }: TextsProps) {
  const [isBusy, setBusy] = useState(false);
  /** Whether the person has ended it here: then the focus goes back to where it began. */
  const isLeft = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { typed } = draft;
  const leave = (end: () => void) => {
    const card = field.current?.closest('section') ?? null;
    const focused = document.activeElement;
    // Not where the person has gone on to another field while it was saved.
    isLeft.current = card?.contains(focused) || focused?.contains(card) || false;
    end();
  };
  if (typed === null) {
    return (
      <Card
        title="Text"
        actions={
          <Button
            kind="quiet"
            autoFocus={isLeft.current}
            onPress={() => {
              isLeft.current = false;
              draft.write(todo.content ?? '', todo);
            }}
          >
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
    const content = storedAs.content(typed.text);
    const isSaved = content === typed.base || (await save({ content }, { content: typed.base }));
    setBusy(false);
    if (isSaved) leave(() => draft.saved(content));
  };
  return (
    <Card title="Text" intro="Markdown, kept as written.">
      <DraftNote draft={draft} name="text" current={todo.content} isAsked={isAsked} />
      <textarea
        ref={field}
        className="input"
        aria-label="Text"
        rows={12}
        maxLength={50_000}
        // biome-ignore lint/a11y/noAutofocus: the person asked for the field, unless it was restored.
        autoFocus={!typed.isRestored}
        value={typed.text}
        onChange={(event) => draft.write(event.target.value, todo)}
      />
      <div className="form-actions">
        <Button kind="primary" isBusy={isBusy} onPress={() => void store()}>
          {isBusy ? 'Saving…' : 'Save'}
        </Button>
        <Button onPress={() => leave(draft.clear)}>{typed.isRestored ? 'Discard' : 'Cancel'}</Button>
      </div>
    </Card>
  );
}
