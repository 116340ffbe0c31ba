import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type Problem, reportProblem } from '../api/problem.ts';
import { Button } from './button.tsx';
import { ErrorSummary, FieldErrors, type Fields } from './form-errors.tsx';

/** Submitted values: texts, and the ticked options of a group. */
export interface Filled {
  text(name: string): string;
  all(name: string): string[];
}

interface FormProps {
  fields: Fields;
  submit: string;
  /** Text of the button while submitting. */
  busy: string;
  /** Submits the form; errors of the service are shown at their fields. */
  onSubmit: (filled: Filled) => Promise<unknown>;
  children: ReactNode;
  /** Beside the submit button. */
  actions?: ReactNode;
  kind?: 'primary' | 'secondary';
  wide?: boolean;
  label?: string;
  /** Clears the form after a successful submit. */
  clears?: boolean;
}

function emptyFields(data: FormData, fields: Fields): Problem | null {
  const errors = Object.entries(fields).flatMap(([param, { required }]) =>
    required !== undefined && !data.getAll(param).some((value) => value !== '') ? [{ param, message: required }] : [],
  );
  if (errors.length === 0) return null;
  return { status: 400, code: 'validation_failed', message: errors[0]?.message ?? '', retryable: false, errors };
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** A form that prevents double submits, shows errors in a summary and at fields, and keeps the input. */
export function Form(props: FormProps) {
  const { fields, submit, busy, onSubmit, children, actions, kind = 'primary', wide = false, label, clears } = props;
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  /** The fields that were changed since: what was wrong with them may be right. */
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [round, setRound] = useState(0);
  const summary = useRef<HTMLDivElement>(null);
  const [isSending, setSending] = useState(false);
  const mayStart = useRef(true);

  useEffect(() => {
    if (problem) summary.current?.focus();
  }, [problem]);

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!mayStart.current) return;
    const data = new FormData(event.currentTarget);
    const empty = emptyFields(data, fields);
    setProblem(empty);
    setChanged([]);
    if (empty) return;
    // The reference for a second event before this one is rendered.
    mayStart.current = false;
    setSending(true);
    try {
      await onSubmit(filledOf(data));
      if (clears) setRound(round + 1);
    } catch (error) {
      setProblem(reportProblem(error));
    } finally {
      mayStart.current = true;
      setSending(false);
    }
  };

  const found = (problem?.errors ?? []).filter(({ param }) => param !== null && param in fields);
  const atFields = found.filter(({ param }) => !changed.includes(param ?? ''));
  const isOpen = problem !== null && (found.length === 0 || atFields.length > 0);
  const note = ({ target }: FormEvent<HTMLFormElement>) => {
    const { name } = target as HTMLInputElement;
    if (problem && name && !changed.includes(name)) setChanged([...changed, name]);
  };
  const messages = Object.fromEntries(atFields.map(({ param, message }) => [param ?? '', sentence(message)]));
  return (
    <form
      ref={form}
      className="form"
      noValidate
      onSubmit={(event) => void send(event)}
      onChange={note}
      {...(label && { 'aria-label': label })}
    >
      {isOpen && <ErrorSummary ref={summary} problem={problem} atFields={atFields} fields={fields} form={form} />}
      <FieldErrors value={messages}>
        <div className="form" key={round}>
          {children}
        </div>
      </FieldErrors>
      <div className="form-actions">
        <Button type="submit" kind={kind} wide={wide} isBusy={isSending}>
          {isSending ? busy : submit}
        </Button>
        {actions}
      </div>
    </form>
  );
}

function filledOf(data: FormData): Filled {
  return {
    text: (name) => String(data.get(name) ?? ''),
    all: (name) => data.getAll(name).map(String),
  };
}
