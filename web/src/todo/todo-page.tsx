import { Link, useParams } from 'react-router';
import { problemOf } from '../api/client.ts';
import { Markdown } from '../captures/markdown.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { nameOf, TodoBadges } from '../work/todo-parts.tsx';
import { TodoActions } from './actions.tsx';
import { Activity } from './activity.tsx';
import { Comments } from './comments.tsx';
import { Conflicts } from './conflicts.tsx';
import { TodoFields } from './fields.tsx';
import type { Conflict, Todo } from './merge.ts';
import type { Save } from './opened.ts';
import { useTextDraft } from './text-draft.ts';
import { BodyField, TitleField } from './texts.tsx';
import { useTodo } from './use-todo.ts';

/** Page `/todos/:todoId`: one todo, the latest work of an agent on it, and the way to its chat. */
export function TodoPage() {
  const { todoId = '' } = useParams();
  // What is typed about one todo must not reach another one.
  return <OneTodo key={todoId} todoId={todoId} />;
}

function OneTodo({ todoId }: { todoId: string }) {
  const { query, save, conflicts, settle } = useTodo(todoId);
  const title = useTextDraft(todoId, 'title');
  const content = useTextDraft(todoId, 'content');
  const decide = async (conflict: Conflict, keeps: 'mine' | 'theirs') => {
    const isSettled = await settle(conflict, keeps);
    const { field, mine } = conflict;
    if (field !== 'title' && field !== 'content') return;
    const draft = field === 'title' ? title : content;
    if (keeps === 'theirs') draft.clear();
    else if (isSettled) draft.saved(mine[field] ?? null);
  };
  const todo = query.data?.resource;
  const isMissing = query.error !== null && [400, 404].includes(problemOf(query.error).status);
  if (isMissing) {
    return (
      <Page title="Todo not found" intro="It may have been erased, or it belongs to another workspace.">
        <div>
          <ButtonLink to="/todos">All todos</ButtonLink>
        </div>
      </Page>
    );
  }
  return (
    <>
      <Link to="/todos" className="back">
        <Icon name="back" />
        Todos
      </Link>
      <Page
        title={todo ? nameOf(todo) : 'Todo'}
        intro={todo && <Facts todo={todo} />}
        actions={todo && !todo.isArchived && <SetStatus todo={todo} save={save} />}
      >
        <Loaded query={query} what="the todo">
          {({ resource, tag }) => (
            <>
              <Conflicts conflicts={conflicts} settle={(conflict, keeps) => void decide(conflict, keeps)} />
              <section className="card" aria-label="Fields">
                <TitleField todo={resource} draft={title} save={save} />
                <TodoFields todo={resource} save={save} />
              </section>
              <BodyField todo={resource} draft={content} save={save} />
              <Work todo={resource} />
              <Comments todoId={resource.id} />
              <Activity todoId={resource.id} />
              <TodoActions todo={resource} tag={tag} save={save} />
            </>
          )}
        </Loaded>
      </Page>
    </>
  );
}

function Facts({ todo }: { todo: Todo }) {
  const { status, isArchived, isSuggested, dueDate, nextRunAt, createdAt, assignees } = todo;
  return (
    <span className="todo-facts">
      {status === 'done' ? <Badge tone="good">Done</Badge> : <TodoBadges todo={todo} />}
      {isArchived && <Badge>Archived</Badge>}
      {isSuggested && <Badge>Suggested</Badge>}
      <span>
        Created <Ago at={createdAt} />
      </span>
      {dueDate !== null && (
        <span>
          Due <Day at={`${dueDate}T12:00:00`} />
        </span>
      )}
      {nextRunAt !== null && (
        <span>
          Next time <Ago at={nextRunAt} />
        </span>
      )}
      {assignees.length > 0 && <span>Assigned to {assignees.map(({ name }) => name).join(', ')}</span>}
    </span>
  );
}

function SetStatus({ todo, save }: { todo: Todo; save: Save }) {
  const isDone = todo.status === 'done';
  const notify = useNotice();
  const change = async () => {
    const isSaved = await save({ status: isDone ? 'ready' : 'done' });
    if (isSaved) notify(`“${nameOf(todo)}” is ${isDone ? 'open again' : 'done'}.`);
  };
  return (
    <Button kind={isDone ? 'secondary' : 'primary'} onPress={() => void change()}>
      {isDone ? 'Reopen' : 'Mark as done'}
    </Button>
  );
}

type Run = NonNullable<Todo['latestRun']>;

const statuses: Record<Run['status'], { text: string; tone: 'plain' | 'good' | 'warn' | 'bad' }> = {
  running: { text: 'At work', tone: 'good' },
  completed: { text: 'Finished', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Stopped', tone: 'plain' },
  timed_out: { text: 'Took too long', tone: 'bad' },
};

function RunBadge({ run: { status, statusReason } }: { run: Run }) {
  if (status === 'running' && statusReason === 'awaiting_input') return <Badge tone="warn">Needs you</Badge>;
  if (status === 'running' && statusReason === 'queued') return <Badge>Waiting to start</Badge>;
  return <Badge tone={statuses[status].tone}>{statuses[status].text}</Badge>;
}

function Work({ todo: { latestRun: run } }: { todo: Todo }) {
  if (run === null) return null;
  const { chatId, startedAt, finishedAt, errorMessage, summary } = run;
  return (
    <Card
      title="Work of an agent"
      intro={finishedAt === null ? <>Began {<Ago at={startedAt} />}</> : <>Ended {<Ago at={finishedAt} />}</>}
      actions={<ButtonLink to={`/chats/${chatId}`}>Open the chat</ButtonLink>}
    >
      <div role="status">
        <RunBadge run={run} />
        {errorMessage !== null && <p className="muted">{errorMessage}</p>}
      </div>
      {summary !== null && <Markdown text={summary} />}
    </Card>
  );
}
