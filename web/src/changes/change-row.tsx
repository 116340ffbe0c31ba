import { Link } from 'react-router';
import type { Conflict } from '../outbox/merge.ts';
import { conflictsOf } from '../outbox/parked.ts';
import { changeIn, fieldsIn, type ShownWrite, type Write } from '../outbox/write.ts';
import { Conflicts, fieldWords, useValueWords } from '../todo/conflicts.tsx';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Badge, Row } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';

type ParkedConflict = Conflict & { id: string };

/** What can be done about an unsent change. */
export interface ChangeRowActions {
  discard(write: Write): Promise<void>;
  retry(write: Write): Promise<void>;
  settle(conflict: ParkedConflict, keeps: 'mine' | 'theirs'): Promise<void>;
}

const operations = { create: 'Create', update: 'Change', archive: 'Archive', restore: 'Restore' };

const states = {
  waiting: { tone: 'plain', text: 'Waits' },
  refused: { tone: 'bad', text: 'Refused' },
  conflict: { tone: 'warn', text: 'Changed by others too' },
  asks: { tone: 'warn', text: 'Without an answer' },
} as const;

function titleOf({ todos }: Write): string {
  const [first] = todos;
  return todos.length === 1 && first ? nameOf(first) : `${todos.length.toLocaleString('en')} todos`;
}

/** What a change sets, line by line. What was typed is there as it was typed. */
function Values({ write }: { write: Write }) {
  const inWords = useValueWords(write.action.operation === 'update');
  const change = changeIn(write);
  const { action } = write;
  const lines: [string, string][] =
    action.operation === 'create'
      ? Object.entries({ title: action.input.title, text: action.input.content }).flatMap(([name, text]) =>
          text === undefined ? [] : [[name, text] as [string, string]],
        )
      : fieldsIn(write).map((field) => [fieldWords[field] ?? field, inWords(change[field])]);
  return lines.map(([name, text]) => (
    <p key={name} className="conflict-value">
      {name}: {text}
    </p>
  ));
}

/** One unsent change, and what can be done about it. */
export function ChangeRow({ write, actions }: { write: ShownWrite; actions: ChangeRowActions }) {
  const { action, state, problem, todos, madeAt, sentAt } = write;
  const title = titleOf(write);
  const { tone, text } = states[state];
  const [todo] = todos;
  const what = `${operations[action.operation]} ${title}`;
  const isKnown = todos.length === 1 && todo && (action.operation !== 'create' || state !== 'refused');
  return (
    <Row
      title={
        <>
          {operations[action.operation]} {isKnown ? <Link to={`/todos/${todo.id}`}>{title}</Link> : title}
        </>
      }
      badges={<Badge tone={tone}>{text}</Badge>}
      detail={
        state === 'conflict' ? (
          <Conflicts
            conflicts={conflictsOf([write], todo?.id ?? '')}
            settle={(conflict, keeps) => void actions.settle(conflict, keeps)}
          />
        ) : (
          <>
            <Values write={write} />
            {problem !== null && <p>{problem}</p>}
          </>
        )
      }
      facts={[
        <Ago key="made" at={new Date(madeAt).toISOString()} />,
        ...(sentAt === null || state === 'conflict' ? [] : ['Sent; the service may have it']),
      ]}
      actions={
        state !== 'conflict' && (
          <>
            {state !== 'waiting' && (
              <Button aria-label={`Send again: ${what}`} onPress={() => void actions.retry(write)}>
                Send again
              </Button>
            )}
            <ConfirmButton
              label="Discard"
              about={what}
              title="Discard this change?"
              confirm="Discard"
              busy="Discarding…"
              onConfirm={() => actions.discard(write)}
            >
              <p>What you changed is lost. What the service has stored already stays.</p>
            </ConfirmButton>
          </>
        )
      }
    />
  );
}
