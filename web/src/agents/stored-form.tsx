import { type ReactNode, useId, useRef } from 'react';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { type Filled, Form } from '../ui/form.tsx';
import { type Fields, useFieldError } from '../ui/form-errors.tsx';
import { isSame } from './merge.ts';

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
  children: (initial: Readonly<Record<string, string>>) => ReactNode;
}

/** A form whose texts outlive a reload until it is sent. */
export function StoredForm({ draftName, onSubmit, children, ...form }: StoredFormProps) {
  const around = useRef<HTMLDivElement>(null);
  const initial = useRef(storedDraft<Record<string, string>>(draftName) ?? {}).current;
  const store = () => {
    const element = around.current?.querySelector('form');
    const texts = [...new FormData(element ?? undefined)].filter(
      ([, value]) => typeof value === 'string' && value !== '',
    );
    storeDraft(draftName, texts.length === 0 ? undefined : Object.fromEntries(texts));
  };
  const send = async (filled: Filled) => {
    const sent = storedDraft(draftName);
    await onSubmit(filled);
    // Not what was typed meanwhile.
    if (isSame(storedDraft(draftName), sent)) storeDraft(draftName, undefined);
  };
  return (
    <div ref={around} onInput={store}>
      <Form {...form} onSubmit={send}>
        {children(initial)}
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
