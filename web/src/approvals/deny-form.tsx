import { useEffect, useId, useRef, useState } from 'react';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { useFieldError } from '../ui/form-errors.tsx';
import { type Decision, draftOf } from './use-approvals.ts';

interface DenyFormProps {
  approvalId: string;
  isFocused: boolean;
  decide: (decision: Decision) => Promise<void>;
  onCancel: () => void;
}

const maxNoteLength = 2000;

/** Denies with an optional note for the agent. The note outlives a reload. */
export function DenyForm({ approvalId, isFocused, decide, onCancel }: DenyFormProps) {
  const draft = draftOf(approvalId, 'note');
  const [note, setNote] = useState(() => storedDraft<string>(draft) ?? '');
  const write = (text: string) => {
    setNote(text);
    storeDraft(draft, text === '' ? undefined : text);
  };
  const deny = () => decide({ decision: 'deny', ...(note.trim() !== '' && { note }) });
  const cancel = () => {
    storeDraft(draft, undefined);
    onCancel();
  };
  return (
    <Form
      fields={{ note: { label: 'Note for the agent' } }}
      submit="Deny"
      busy="Denying…"
      label="Deny"
      onSubmit={deny}
      actions={<Button onPress={cancel}>Cancel</Button>}
    >
      <NoteField value={note} isFocused={isFocused} onChange={write} />
    </Form>
  );
}

interface NoteFieldProps {
  value: string;
  isFocused: boolean;
  onChange: (text: string) => void;
}

function NoteField({ value, isFocused, onChange }: NoteFieldProps) {
  const id = useId();
  const { message, isInvalid } = useFieldError('note');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFocused) field.current?.focus();
  }, [isFocused]);
  return (
    <div className="field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>
        Note for the agent<span className="optional"> (optional)</span>
      </label>
      <textarea
        ref={field}
        id={id}
        name="note"
        className="input"
        rows={2}
        maxLength={maxNoteLength}
        value={value}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? `${id}-error` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
