import { Link } from 'react-router';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Row } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { durationWords, minutesWords } from './filter.ts';
import type { RunOfTodo } from './queries.ts';
import { RunAgain, RunBadge, StopRun, triggerWords } from './run-parts.tsx';

interface RunRowProps extends RunOfTodo {
  agent: string;
}

const again = ['failed', 'timed_out', 'cancelled'];

/** A Markdown text of a few lines as it reads, without marks and empty lines. */
function withoutMarks(markdown: string): string {
  return markdown
    .replace(/^(?:#{1,6}|>)\s+/gm, '')
    .replace(/(\*\*|__|`+)(\S(?:.*?\S)?)\1/g, '$2')
    .replace(/\n\s*\n/g, '\n');
}

/** A run in a list: its todo, agent, cause, times and result, and what can be done about it. */
export function RunRow({ run, todo, agent }: RunRowProps) {
  const { status, startedAt, finishedAt, minutesUsed, errorMessage, summary, chatId } = run;
  const name = todo === null ? 'An erased todo' : nameOf(todo);
  const isRunning = status === 'running';
  const result = errorMessage ?? (summary === null ? null : withoutMarks(summary));
  return (
    <Row
      title={todo === null ? name : <Link to={`/todos/${todo.id}`}>{name}</Link>}
      badges={<RunBadge run={run} />}
      detail={result !== null && <p className="run-result">{result}</p>}
      facts={[
        agent,
        triggerWords[run.trigger],
        <span key="at">
          {isRunning ? 'since ' : ''}
          <Ago at={startedAt} />
        </span>,
        ...(finishedAt === null ? [] : [`took ${durationWords(startedAt, Date.parse(finishedAt))}`]),
        minutesWords(minutesUsed),
        <Link key="chat" to={`/chats/${chatId}`} aria-label={`Chat: ${name}`}>
          Chat
        </Link>,
      ]}
      actions={
        isRunning ? (
          <StopRun run={run} name={name} />
        ) : (
          todo !== null && again.includes(status) && <RunAgain run={run} name={name} />
        )
      }
    />
  );
}
