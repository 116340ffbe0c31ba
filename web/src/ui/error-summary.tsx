import type { MouseEvent, Ref, RefObject } from 'react';
import type { Problem } from '../api/client.ts';
import type { Fields } from './form.tsx';
import { Icon } from './icons.tsx';

/** The control of a field; the first of a group. */
function controlOf(form: HTMLFormElement | null, name: string): HTMLElement | null {
  const found = form?.elements.namedItem(name);
  const first = found instanceof RadioNodeList ? found[0] : found;
  return first instanceof HTMLElement ? first : null;
}

function worded(label: string, message: string): string {
  return /^[a-z]/.test(message) ? `${label} ${message}` : message;
}

interface ErrorSummaryProps {
  ref: Ref<HTMLDivElement>;
  problem: Problem;
  fields: Fields;
  form: RefObject<HTMLFormElement | null>;
}

/** What is wrong, in one place that takes the focus; each line leads to its field. */
export function ErrorSummary({ ref, problem, fields, form }: ErrorSummaryProps) {
  const atFields = problem.errors.filter(({ param }) => param !== null && param in fields);
  const goTo = (name: string) => (event: MouseEvent) => {
    event.preventDefault();
    controlOf(form.current, name)?.focus();
  };
  return (
    <div className="callout danger" ref={ref} tabIndex={-1} role="alert">
      <Icon name="warning" />
      <div>
        <p className="callout-title">{atFields.length === 0 ? problem.message : 'Please check what you filled in'}</p>
        {atFields.length > 0 && (
          <ul>
            {atFields.map(({ param, message }) => (
              <li key={`${param} ${message}`}>
                <a href={`#${param}`} onClick={goTo(param ?? '')}>
                  {worded(fields[param ?? '']?.label ?? '', message)}
                </a>
              </li>
            ))}
          </ul>
        )}
        {problem.status >= 500 && problem.requestId && <p className="detail">Request {problem.requestId}</p>}
      </div>
    </div>
  );
}
