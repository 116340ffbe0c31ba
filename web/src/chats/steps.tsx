import { useRef, useState } from 'react';
import { Link } from 'react-router';
import type { Step } from './rows.ts';

/** The todo that a step is about: of its result, else of its input. */
function todoOf({ call, result }: Step): { id: string; title: string } | null {
  const { todo } = (result?.output ?? {}) as { todo?: { id?: unknown; title?: unknown } };
  if (typeof todo?.id === 'string') return { id: todo.id, title: typeof todo.title === 'string' ? todo.title : 'Todo' };
  const { todoId } = (call.input ?? {}) as { todoId?: unknown };
  return typeof todoId === 'string' ? { id: todoId, title: 'Todo' } : null;
}

/** What a failed call says, in the words of the service. */
function messageOf(output: unknown): string | null {
  const { message } = (output ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : null;
}

const undecided = { deny: 'denied', expired: 'not decided in time', superseded: 'replaced by a message' };

/** What became of a step, in words. `isOpen`: its turn goes on. */
export function outcomeOf({ call, result, decision }: Step, isOpen: boolean): { text: string; isBad: boolean } {
  if (decision !== null && decision !== 'approve') return { text: undecided[decision], isBad: false };
  if (result?.isError) return { text: 'failed', isBad: true };
  if (result) return { text: 'done', isBad: false };
  if (call.requiresApproval && decision === null) return { text: 'needs an approval', isBad: false };
  return { text: isOpen ? 'in progress' : 'not carried out', isBad: false };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function StepLine({ step, isOpen }: { step: Step; isOpen: boolean }) {
  const { call, result, approved } = step;
  const [isShown, setShown] = useState(false);
  const { text, isBad } = outcomeOf(step, isOpen);
  const todo = todoOf(step);
  const message = result?.isError ? messageOf(result.output) : null;
  return (
    <li className="step">
      <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
        <summary>
          {call.title}: <span className={isBad ? 'step-failed' : 'muted'}>{text}</span>
        </summary>
        {isShown && (
          <dl className="step-data">
            <dt>Input of {call.name}</dt>
            <dd>{shown(approved ?? call.input)}</dd>
            {approved !== undefined && (
              <>
                <dt>What the agent asked for</dt>
                <dd>{shown(call.input)}</dd>
              </>
            )}
            {result && (
              <>
                <dt>{result.truncated ? 'Output, shortened' : 'Output'}</dt>
                <dd>{shown(result.output)}</dd>
              </>
            )}
          </dl>
        )}
      </details>
      {message !== null && <p className="step-failed">{message}</p>}
      {todo && (
        <Link className="step-link" to={`/todos/${todo.id}`}>
          {todo.title}
        </Link>
      )}
    </li>
  );
}

/**
 * The tool calls that an agent made in a row, one line each. Several are folded once the turn goes on behind them,
 * unless the focus is inside or the person has opened them.
 */
export function Steps({ steps, isOpen }: { steps: readonly Step[]; isOpen: boolean }) {
  const details = useRef<HTMLDetailsElement>(null);
  const [chosen, setChosen] = useState<boolean>();
  const hasFocus = details.current?.contains(document.activeElement) ?? false;
  const isUnfolded = chosen ?? (isOpen || hasFocus);
  const lines = (
    <ul className="steps">
      {steps.map((step) => (
        <StepLine key={step.call.id} step={step} isOpen={isOpen} />
      ))}
    </ul>
  );
  if (steps.length === 1) return lines;
  const failed = steps.filter((step) => outcomeOf(step, isOpen).isBad).length;
  return (
    <details
      ref={details}
      className="fold"
      open={isUnfolded}
      onToggle={({ currentTarget, target }) => {
        if (target === currentTarget && currentTarget.open !== isUnfolded) setChosen(currentTarget.open);
      }}
    >
      <summary>
        {steps.length} steps{failed > 0 && <span className="step-failed">, {failed} failed</span>}
      </summary>
      {lines}
    </details>
  );
}
