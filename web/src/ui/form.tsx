import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { type Problem, problemOf } from '../api/client.ts';
import { Button } from './button.tsx';
import { ErrorSummary } from './error-summary.tsx';
import { FieldErrors } from './field-errors.ts';

/** The fields of a form by name: what they are called, and what to say when a needed one is empty. */
export type Fields = Record<string, { label: string; required?: string }>;

/** What was filled in: texts as they are, and the ticked ones of a group. */
export interface Filled {
  text(name: string): string;
  all(name: string): string[];
}

interface FormProps {
  fields: Fields;
  submit: string;
  /** On the button while the service works. */
  busy: string;
  /** What it does; may throw a failure of the service, which is shown beside the fields at fault. */
  onSubmit: (filled: Filled) => Promise<unknown>;
  children: ReactNode;
  /** Beside the submit button. */
  actions?: ReactNode;
  kind?: 'primary' | 'secondary';
  wide?: boolean;
  label?: string;
  /** Empty again after it went through. */
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

/** A form that sends once, tells what is wrong in a summary and at each field, and keeps what was typed. */
export function Form(props: FormProps) {
  const { fields, submit, busy, onSubmit, children, actions, kind = 'primary', wide = false, label, clears } = props;
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const summary = useRef<HTMLDivElement>(null);
  const sending = useMutation({ mutationFn: (data: FormData) => onSubmit(filledOf(data)) });

  useEffect(() => {
    if (problem) summary.current?.focus();
  }, [problem]);

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending.isPending) return;
    const data = new FormData(event.currentTarget);
    const empty = emptyFields(data, fields);
    setProblem(empty);
    if (empty) return;
    try {
      await sending.mutateAsync(data);
      sending.reset();
      if (clears) setRound(round + 1);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };

  const atFields = (problem?.errors ?? []).filter(({ param }) => param !== null && param in fields);
  const messages = Object.fromEntries(atFields.map(({ param, message }) => [param ?? '', sentence(message)]));
  return (
    <AriaForm
      ref={form}
      className="form"
      validationBehavior="aria"
      onSubmit={(event) => void send(event)}
      {...(label && { 'aria-label': label })}
    >
      {problem && <ErrorSummary ref={summary} problem={problem} fields={fields} form={form} />}
      <FieldErrors value={messages}>
        <div className="form" key={round}>
          {children}
        </div>
      </FieldErrors>
      <div className="form-actions">
        <Button type="submit" kind={kind} wide={wide} isBusy={sending.isPending}>
          {sending.isPending ? busy : submit}
        </Button>
        {actions}
      </div>
    </AriaForm>
  );
}

function filledOf(data: FormData): Filled {
  return {
    text: (name) => String(data.get(name) ?? ''),
    all: (name) => data.getAll(name).map(String),
  };
}
