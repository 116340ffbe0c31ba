import { createContext, type MouseEvent, type Ref, type RefObject, useContext } from 'react';
import { Link } from 'react-router';
import type { Problem } from '../api/problem.ts';
import { Icon } from './icons.tsx';

/** The fields of a form by name: what they are called, and the message when a required one is empty. */
export type Fields = Record<string, { label: string; required?: string }>;

/** Errors of the fields of a form, by name; each until its field is changed, or the next submit. */
export const FieldErrors = createContext<Readonly<Record<string, string>>>({});

/** The error of a field, if any. */
export function useFieldError(name: string | undefined): { message: string | undefined; isInvalid: boolean } {
  const message = useContext(FieldErrors)[name ?? ''];
  return { message, isInvalid: message !== undefined };
}

/** The control of a field; the first of a group. */
function controlOf(form: HTMLFormElement | null, name: string): HTMLElement | null {
  const found = form?.elements.namedItem(name);
  const first = found instanceof RadioNodeList ? found[0] : found;
  return first instanceof HTMLElement ? first : null;
}

function sentenceOf(label: string, message: string): string {
  return /^[a-z]/.test(message) ? `${label} ${message}` : message;
}

/** Leads from an error to the agent minutes, where those are used up (402). */
export function UsageLink({ status }: { status: number | null }) {
  if (status !== 402) return null;
  return <Link to="/usage">See the agent minutes</Link>;
}

interface ErrorSummaryProps {
  ref: Ref<HTMLDivElement>;
  problem: Problem;
  /** What is wrong with fields. */
  atFields: Problem['errors'];
  fields: Fields;
  form: RefObject<HTMLFormElement | null>;
}

/** Summary of errors. It receives the focus; each line links to its field. */
export function ErrorSummary({ ref, problem, atFields, fields, form }: ErrorSummaryProps) {
  const goTo = (name: string) => (event: MouseEvent) => {
    event.preventDefault();
    controlOf(form.current, name)?.focus();
  };
  return (
    <div className="callout danger" ref={ref} tabIndex={-1} role="alert">
      <Icon name="warning" />
      <div>
        <p className="callout-title">{atFields.length === 0 ? problem.message : 'Please check your input'}</p>
        {atFields.length > 0 && (
          <ul>
            {atFields.map(({ param, message }) => (
              <li key={`${param} ${message}`}>
                <a href={`#${param}`} onClick={goTo(param ?? '')}>
                  {sentenceOf(fields[param ?? '']?.label ?? '', message)}
                </a>
              </li>
            ))}
          </ul>
        )}
        <UsageLink status={problem.status} />
        {problem.status >= 500 && problem.requestId && <p className="detail">Request {problem.requestId}</p>}
      </div>
    </div>
  );
}
