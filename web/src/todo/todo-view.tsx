import type { ReactNode } from 'react';
import { problemOf } from '../api/client.ts';
import { useOnPage } from '../edits/list-actions.ts';
import { useChanges } from '../edits/use-changes.ts';
import { useTodoCommands } from '../edits/use-todo-commands.tsx';
import { useScheduleDraft } from '../schedule/draft.ts';
import { storedOf } from '../schedule/request.ts';
import { useOnline } from '../shell/offline.tsx';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { useIsHere } from '../ui/here.ts';
import { TodoActions } from './actions.tsx';
import { Activity } from './activity.tsx';
import { Comments } from './comments.tsx';
import { Conflicts } from './conflicts.tsx';
import { TodoFields } from './fields.tsx';
import { Facts, SetStatus } from './head.tsx';
import { ScheduleSection } from './schedule-section.tsx';
import { PartOf, SubTodos } from './sub-todos.tsx';
import { useTextDraft } from './text-draft.ts';
import { BodyField, TitleField } from './texts.tsx';
import { type ShownConflict, useTodo } from './use-todo.ts';
import { Work } from './work.tsx';

/** What is around a todo: its name as a heading, its facts and its main action. */
export interface TodoFrame {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

interface TodoViewProps {
  todoId: string;
  frame: (parts: TodoFrame) => ReactNode;
  /** The todo was erased while it was shown. */
  onErased: () => unknown;
}

/**
 * All of one todo, on its page or beside a list. Needs its id as `key`: what is typed about one must not reach another.
 */
export function TodoView({ todoId, frame, onErased }: TodoViewProps) {
  const { query, todo, isNew, sending, save, submit, conflicts, settle, stored } = useTodo(todoId);
  const drafts = {
    title: useTextDraft(todoId, 'title'),
    content: useTextDraft(todoId, 'content'),
    schedule: useScheduleDraft(todoId),
  };
  const { title, content, schedule } = drafts;
  const isHere = useIsHere();
  const { commands, dialogs } = useTodoCommands(() => (todo ? [todo] : []), useChanges());
  useOnPage('todo', todo ? commands : null);
  const decide = async (conflict: ShownConflict, keeps: 'mine' | 'theirs') => {
    const { typed } = schedule;
    const isSettled = await settle(conflict, keeps);
    const { field, mine, current } = conflict;
    if (field !== 'title' && field !== 'content' && field !== 'schedule') return;
    if (keeps === 'theirs') drafts[field].clear();
    // More may have been typed meanwhile.
    else if (isSettled && field !== 'schedule') drafts[field].saved(mine[field] ?? null);
    else if (isSettled && typed) schedule.saved(typed.values, storedOf(stored() ?? current));
  };
  const asksAbout = (name: ShownConflict['field']) => conflicts.some(({ field }) => field === name);
  const isMissing = !isNew && query.error !== null && [400, 404].includes(problemOf(query.error).status);
  if (isMissing) {
    return frame({
      title: 'Todo not found',
      intro: 'It may have been erased, or it belongs to another workspace.',
      children: (
        <div>
          <ButtonLink to="/todos">All todos</ButtonLink>
        </div>
      ),
    });
  }
  return frame({
    title: todo ? nameOf(todo) : 'Todo',
    intro: todo && <Facts todo={todo} />,
    actions: todo && !todo.isArchived && <SetStatus todo={todo} save={save} />,
    children:
      todo === undefined ? (
        <Loaded query={query} what="the todo">
          {() => null}
        </Loaded>
      ) : (
        <>
          <Conflicts conflicts={conflicts} settle={(conflict, keeps) => void decide(conflict, keeps)} />
          <Waiting sending={sending} isNew={isNew} />
          <PartOf todo={todo} save={save} />
          <section className="card" aria-label="Fields">
            <TitleField todo={todo} draft={title} save={save} isAsked={asksAbout('title')} />
            <TodoFields todo={todo} save={save} />
          </section>
          <BodyField todo={todo} draft={content} save={save} isAsked={asksAbout('content')} />
          {!isNew && (
            <>
              <SubTodos todo={todo} />
              <Work todo={todo} />
              <ScheduleSection todo={todo} draft={schedule} save={save} submit={submit} />
              <Comments todoId={todo.id} />
              <Activity todoId={todo.id} />
            </>
          )}
          <TodoActions
            todo={todo}
            known={query.data}
            save={save}
            run={() => commands.choose('agent')}
            onErased={() => isHere() && onErased()}
          />
          {dialogs}
        </>
      ),
  });
}

/** Says that the service does not have a todo, or a change of it, while the browser has no connection. */
function Waiting({ sending, isNew }: { sending: number; isNew: boolean }) {
  const isOnline = useOnline();
  if (isOnline || sending === 0) return null;
  return (
    <p className="callout warn" role="status">
      {isNew
        ? 'This todo is in this browser alone. It is sent once the service can be reached; then it has comments and a history.'
        : 'What you changed is in this browser alone. It is sent once the service can be reached.'}
    </p>
  );
}
