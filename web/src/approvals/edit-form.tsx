import { useEffect, useId, useMemo, useRef } from 'react';
import { problemOf } from '../api/client.ts';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { Button } from '../ui/button.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import { useFieldError } from '../ui/form-errors.tsx';
import { atFields, type EditField, editFieldsOf, inputFrom, type Schema } from './edit-fields.ts';
import type { Approval } from './queries.ts';
import type { Named } from './subject-queries.ts';
import toolInputs from './tool-inputs.json' with { type: 'json' };
import { type Decision, draftOf } from './use-approvals.ts';

interface EditFormProps {
  approval: Approval;
  lists: readonly Named[];
  isFocused: boolean;
  decide: (decision: Decision) => Promise<void>;
  onCancel: () => void;
}

/** A tool that this page does not know: its arguments as they are given. */
const anyObject: Schema = {};

function schemaOf({ toolName, input }: Approval): Schema {
  const known = (toolInputs as Readonly<Record<string, Schema>>)[toolName];
  if (known) return known;
  const names = Object.keys(typeof input === 'object' && input !== null ? input : {});
  return { properties: Object.fromEntries(names.map((name) => [name, anyObject])) };
}

/** Approves with other arguments than the agent gave. What is typed outlives a reload. */
export function EditForm({ approval, lists, isFocused, decide, onCancel }: EditFormProps) {
  const { id, input } = approval;
  const draft = draftOf(id, 'edit');
  const box = useRef<HTMLDivElement>(null);
  const fields = useMemo(
    () =>
      editFieldsOf(
        schemaOf(approval),
        approval.input,
        lists.filter(({ type }) => type === 'list'),
      ),
    [approval, lists],
  );
  const typed = useMemo(() => storedDraft<Record<string, string>>(draft) ?? {}, [draft]);
  useEffect(() => {
    if (isFocused) box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, [isFocused]);
  const store = () => {
    const form = box.current?.querySelector('form');
    if (form) storeDraft(draft, Object.fromEntries(new FormData(form)));
  };
  const approve = async (filled: Filled) => {
    const edited = inputFrom(fields, filled.text, input);
    const isEdited = JSON.stringify(edited) !== JSON.stringify(input);
    await decide({ decision: 'approve', ...(isEdited && { input: edited }) }).catch((error: unknown) => {
      throw atFields(problemOf(error));
    });
  };
  const cancel = () => {
    storeDraft(draft, undefined);
    onCancel();
  };
  const named = Object.fromEntries(
    fields.map(({ name, label, isRequired }) => [
      name,
      { label, ...(isRequired && { required: `Fill in the ${label.toLowerCase()}` }) },
    ]),
  );
  const others = fields.filter(({ isGiven }) => !isGiven);
  const show = (field: EditField) => <Field key={field.name} field={field} typed={typed[field.name]} />;
  return (
    <div ref={box} onInput={store}>
      <Form
        fields={named}
        submit="Approve as edited"
        busy="Approving…"
        label="Edit first"
        onSubmit={approve}
        actions={<Button onPress={cancel}>Cancel</Button>}
      >
        {fields.filter(({ isGiven }) => isGiven).map(show)}
        {others.length > 0 && (
          <details className="more-fields" open={others.some(({ name }) => Boolean(typed[name]))}>
            <summary>More fields</summary>
            <div className="form">{others.map(show)}</div>
          </details>
        )}
      </Form>
    </div>
  );
}

function Field({ field, typed }: { field: EditField; typed: string | undefined }) {
  const id = useId();
  const { name, label, hint, kind, options, isRequired, value } = field;
  const { message, isInvalid } = useFieldError(name);
  const described = [hint && `${id}-hint`, isInvalid && `${id}-error`].filter(Boolean).join(' ');
  const control = {
    id,
    name,
    className: kind === 'json' ? 'input code' : 'input',
    defaultValue: typed ?? value,
    'aria-required': isRequired,
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': described || undefined,
  };
  return (
    <div className="field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>{label}</label>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
          {kind === 'lines' && ' One a line.'}
          {kind === 'json' && ' As JSON.'}
        </span>
      )}
      {kind === 'choice' && (
        <select {...control}>
          {options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      {['text', 'lines', 'json'].includes(kind) && <textarea {...control} rows={4} spellCheck={kind !== 'json'} />}
      {kind === 'line' && <input {...control} type="text" autoComplete="off" />}
      {kind === 'number' && <input {...control} type="text" inputMode="decimal" autoComplete="off" />}
      {kind === 'date' && <input {...control} type="date" />}
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
