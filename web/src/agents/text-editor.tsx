import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useRef } from 'react';
import { problemOf } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { isComposing } from '../ui/typed-ahead.tsx';
import { useDraft } from './draft.ts';
import { TheirChange } from './their-change.tsx';

interface TextEditorProps {
  label: string;
  hint?: ReactNode;
  /** What the service has by now. */
  current: string | null;
  /** The name of the draft: of the resource and the field. */
  draftName: string;
  maxLength: number;
  /** One line that must not be empty, instead of a text. */
  isLine?: boolean;
  rows?: number;
  /**
   * Saves a text that was made from `base`. Returns false if somebody else changed the text meanwhile; `current` then
   * has that change.
   */
  save: (value: string | null, base: string | null) => Promise<boolean>;
  /** Asks the service what a text would change, and shows it. */
  preview?: (value: string | null) => Promise<ReactNode>;
  /** What may be added to the text by one press. */
  examples?: readonly string[];
}

/** What is typed in the editor of a text, and what its buttons do. */
function useEditedText({ label, current, draftName, isLine = false, save, preview }: TextEditorProps) {
  const notify = useNotice();
  const conflict = useRef<HTMLDivElement>(null);
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const draft = useDraft<string | null>(draftName);
  const { typed } = draft;
  const text = (typed === null ? current : typed.value) ?? '';
  const value = isLine ? text.trim() : text === '' ? null : text;
  const isChanged = typed !== null && value !== current;
  const isStale = isChanged && current !== typed.base;
  const previewing = useMutation({ mutationFn: async () => ({ value, shown: await preview?.(value) }) });
  const saving = useMutation({
    mutationFn: async () => ({ isSaved: await save(value, typed === null ? current : typed.base), value }),
    onSuccess: ({ isSaved, value: stored }) => {
      previewing.reset();
      if (!isSaved) return;
      draft.saved(stored);
      notify(`${label} saved.`);
    },
  });
  const write = (next: string) => {
    saving.reset();
    draft.write(next === '' ? null : next, current);
  };
  const restart = () => {
    control.current?.focus();
    previewing.reset();
    saving.reset();
  };
  const store = () => {
    if (isStale) conflict.current?.focus();
    else if (isLine && value === '') control.current?.focus();
    else if (isChanged) {
      if (isLine) draft.write(value, current);
      saving.mutate();
    }
  };
  const discard = () => {
    draft.clear();
    restart();
  };
  const keep = (kept: string | null) => {
    draft.rebase(current, kept);
    restart();
  };
  return { conflict, control, typed, text, value, isChanged, isStale, previewing, saving, write, store, discard, keep };
}

/** A text that is edited and saved by itself: with a draft that outlives a reload, and with what others changed. */
export function TextEditor(props: TextEditorProps) {
  const { label, hint, current, maxLength, isLine = false, rows = 12, preview, examples = [] } = props;
  const id = useId();
  const edited = useEditedText(props);
  const { typed, text, value, isChanged, previewing, saving, write, store, discard } = edited;
  const attributes = {
    id,
    ref: edited.control,
    className: 'input',
    maxLength,
    value: text,
    'aria-describedby': `${id}-hint`,
    onChange: (event: { target: { value: string } }) => write(event.target.value),
  };
  const failure = saving.error ?? previewing.error;
  const isPreviewed = previewing.data !== undefined && previewing.data.value === value;
  return (
    <div className="field text-editor">
      <label htmlFor={id}>{label}</label>
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
      {typed?.isRestored && isChanged && (
        <p className="callout warn" role="status">
          This is not saved yet. You typed it before.
        </p>
      )}
      {edited.isStale && typed && (
        <TheirChange
          ref={edited.conflict}
          name={label.toLowerCase()}
          base={typed.base}
          mine={value}
          theirs={current}
          onKeep={edited.keep}
          onTake={discard}
        />
      )}
      {isLine ? (
        <input
          {...attributes}
          onKeyDown={({ key, nativeEvent }) => key === 'Enter' && !isComposing(nativeEvent) && store()}
        />
      ) : (
        <textarea {...attributes} rows={rows} />
      )}
      {examples.length > 0 && (
        <Examples examples={examples} onChoose={(example) => write(text === '' ? example : `${text}\n${example}`)} />
      )}
      <div role="alert">
        {failure && (
          <p className="callout danger">
            <Icon name="warning" />
            <span>{problemOf(failure).message}</span>
          </p>
        )}
        {isLine && isChanged && value === '' && <span className="field-error">Enter a {label.toLowerCase()}.</span>}
      </div>
      {isPreviewed && <div role="status">{previewing.data?.shown}</div>}
      <div className="form-actions">
        <Button kind="primary" isBusy={saving.isPending} onPress={store}>
          {saving.isPending ? 'Saving…' : `Save ${label.toLowerCase()}`}
        </Button>
        {preview && (
          <Button isBusy={previewing.isPending} onPress={() => previewing.mutate()}>
            {previewing.isPending ? 'Comparing…' : 'Preview changes'}
          </Button>
        )}
        {isChanged && <Button onPress={discard}>Discard</Button>}
      </div>
    </div>
  );
}

function Examples({ examples, onChoose }: { examples: readonly string[]; onChoose: (example: string) => void }) {
  return (
    <div className="examples">
      <p className="muted small">Examples, added by a press:</p>
      <ul>
        {examples.map((example) => (
          <li key={example}>
            <Button kind="quiet" onPress={() => onChoose(example)}>
              {example}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
