import { Fragment, type ReactNode, useId, useRef } from 'react';
import { useStoredDraft } from '../session/stored-drafts.ts';
import { type Filled, Form } from '../ui/form.tsx';
import { type Fields, useFieldError } from '../ui/form-errors.tsx';
import { isSame } from './merge.ts';

type Texts = Readonly<Record<string, string>>;

interface StoredFormProps {
  /** The name of the draft. */
  draftName: string;
  fields: Fields;
  submit: string;
  busy: string;
  label: string;
  actions?: ReactNode;
  onSubmit: (filled: Filled) => Promise<unknown>;
  /** The controls; `initial` is what was typed into them before a reload, by name. */
  children: (initial: Texts) => ReactNode;
}

/** What is typed, what the controls began with, and how often they have begun. */
interface Typed {
  texts: Texts;
  initial: Texts;
  round: number;
}

/** A form whose texts outlive a reload until it is sent. */
export function StoredForm({ draftName, onSubmit, children, ...form }: StoredFormProps) {
  const around = useRef<HTMLDivElement>(null);
  const [{ texts, initial, round }, change] = useStoredDraft<Typed>(
    draftName,
    (stored) => {
      const typed = (stored ?? {}) as Texts;
      return { texts: typed, initial: typed, round: 0 };
    },
    (typed) => (Object.keys(typed.texts).length === 0 ? undefined : typed.texts),
  );
  const store = () => {
    const element = around.current?.querySelector('form');
    const filled = [...new FormData(element ?? undefined)].filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    );
    change((before) => ({ ...before, texts: Object.fromEntries(filled) }));
  };
  const send = async (filled: Filled) => {
    await onSubmit(filled);
    // Not what was typed meanwhile. A form that is shown by then begins anew.
    change((before) => (isSame(before.texts, texts) ? { texts: {}, initial: {}, round: before.round + 1 } : before));
  };
  return (
    <div ref={around} onInput={store}>
      <Form {...form} onSubmit={send}>
        <Fragment key={round}>{children(initial)}</Fragment>
      </Form>
    </div>
  );
}

interface TextAreaProps {
  name: string;
  label: string;
  hint?: string;
  rows: number;
  maxLength: number;
  defaultValue?: string;
  isRequired?: boolean;
}

/** A text of several lines. */
export function TextArea({ name, label, hint, rows, maxLength, defaultValue = '', isRequired }: TextAreaProps) {
  const id = useId();
  const { message, isInvalid } = useFieldError(name);
  const described = [hint && `${id}-hint`, isInvalid && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>
        {label}
        {!isRequired && <span className="optional"> (optional)</span>}
      </label>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <textarea
        id={id}
        name={name}
        className="input"
        rows={rows}
        maxLength={maxLength}
        defaultValue={defaultValue}
        aria-required={isRequired}
        aria-invalid={isInvalid || undefined}
        aria-describedby={described || undefined}
      />
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
