import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { v7 as newId } from 'uuid';
import { api } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import { readAgain } from '../api/queries.ts';
import { isReturn } from '../navigation/history.ts';
import { openOutbox } from '../outbox/current.ts';
import type { Sent } from '../outbox/draft.ts';
import type { Todo } from '../outbox/merge.ts';
import type { NewTodo } from '../outbox/write.ts';
import { useIdentity } from '../session/session.ts';
import { Form } from '../ui/form.tsx';
import { useIsHere } from '../ui/here.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useNotice } from '../ui/notice.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import type { FindDates } from './dates.ts';
import { noneMade, useLineDraft } from './draft.ts';
import { LineField } from './line-field.tsx';
import { useNewLabel } from './new-label.ts';
import { newTodoOf } from './new-todo.ts';
import { keyOf, type Named, type NewTodoInput, parseLine, type Surroundings, type Token } from './parse.ts';
import { assignableQuery, labelsQuery, me } from './queries.ts';
import { TokenChips } from './token-chips.tsx';

const PastedLines = lazyPart(() => import('./pasted-lines.tsx').then(({ PastedLines }) => PastedLines));
const SchedulePreview = lazyPart(
  () => import('./schedule-preview.tsx').then(({ SchedulePreview }) => SchedulePreview),
  // The service makes it: where it cannot be reached, there is none.
  () => null,
);

/**
 * What was created: one todo, which the person wants to open or not and which may not be sent yet, or as many as were
 * pasted.
 */
export type Created =
  | { id: string; title: string; todo: Todo; opens: boolean; isWaiting?: boolean }
  | { count: number };

export interface QuickAddProps {
  lists: readonly Named[];
  /** The list of todos that name none. */
  todoListId?: string;
  /** The day of today, if todos are due then whose line does not say when. */
  dueDate?: string;
  /** The todo of which new ones are sub-todos. */
  parentTodoId?: string;
  onCreated: (created: Created) => void;
}

const noLabels: readonly Named[] = [];

/** The code of dates, loaded with the first key. */
function useFindDates(isNeeded: boolean): FindDates | undefined {
  const [find, setFind] = useState<FindDates>();
  useEffect(() => {
    if (isNeeded && !find)
      void import('./dates.ts').then(
        ({ findDates }) => setFind(() => findDates),
        () => {},
      );
  }, [isNeeded, find]);
  return find;
}

/** What a line is read with when it is sent: Enter may be pressed before the code of dates and the names are loaded. */
async function load(queryClient: QueryClient, workspaceId: string, text: string) {
  const [dates, assignable, labels] = await Promise.all([
    import('./dates.ts').catch(() => undefined),
    text.includes('@') ? queryClient.ensureQueryData(assignableQuery(workspaceId)) : [],
    text.includes('*') ? queryClient.ensureQueryData(labelsQuery(workspaceId)) : [],
  ]);
  return { findDates: dates?.findDates, people: [me, ...assignable], labels };
}

/** @throws ProblemError where the line is no todo that can be created. */
function requireTodo(title: string, { run, assignees = [] }: NewTodoInput, isAgent: (id: string) => boolean): void {
  const fault = (message: string) =>
    new ProblemError({
      status: 400,
      code: 'validation_failed',
      message,
      retryable: false,
      errors: [{ param: 'title', message }],
    });
  if (title === '') throw fault('Write what is to be done beside the dates and names');
  if (run && !assignees.some(({ id }) => isAgent(id)))
    throw fault('Name the agent that is to run it, such as @Assistant');
}

/**
 * A line that becomes a todo. Dates, `!priority`, `#list`, `*label`, `@assignee`, “every …” and `/run` are read as they
 * are typed. The todo is shown at once, and sent when the service can be reached.
 */
export function QuickAdd({ lists, todoListId, parentTodoId, dueDate, onCreated }: QuickAddProps) {
  const identity = useIdentity();
  const { workspace } = identity;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const isHere = useIsHere();
  const { draft, change } = useLineDraft(parentTodoId ?? workspace.id);
  const { text, plain, pasted, shared, made } = draft;
  const label = parentTodoId === undefined ? 'Title' : 'Sub-todo';
  const isTyped = text !== '' || pasted !== '';
  const findDates = useFindDates(isTyped);
  const assignable = useQuery({ ...assignableQuery(workspace.id), enabled: isTyped });
  const hasLabels = `${text}${pasted}`.includes('*');
  const labels = useQuery({ ...labelsQuery(workspace.id), enabled: hasLabels }).data ?? noLabels;
  const people = useMemo(() => [me, ...(assignable.data ?? [])], [assignable.data]);
  const newLabel = useNewLabel();
  const form = useRef<HTMLDivElement>(null);
  const opens = useRef(false);
  const { hash, key } = useLocation();
  // The command “New todo” leads to `/todos#new`, maybe before this code is loaded.
  useEffect(() => {
    if (hash === '#new' && parentTodoId === undefined && !isReturn(key)) form.current?.querySelector('input')?.focus();
  }, [hash, key, parentTodoId]);
  const typed = useRef(text);
  useEffect(() => {
    typed.current = text;
  }, [text]);
  const read = (line: string, asText: readonly string[] = [], loaded: Partial<Surroundings> = {}) => {
    const given = {
      now: Date.now(),
      timeZone: workspace.timezone,
      zoneOfDays: ownTimeZone,
      lists,
      people,
      labels,
      findDates,
      ...loaded,
    };
    const parsed = parseLine(line, { ...given, plain: new Set(asText), shared });
    const isDueToday = dueDate !== undefined && !parsed.input.schedule && !parsed.input.dueDate;
    const place = { ...(todoListId && { todoListId }), ...(parentTodoId && { parentTodoId }) };
    return { ...parsed, isDueToday, input: { ...place, ...(isDueToday && { dueDate }), ...parsed.input } };
  };
  const line = read(text, plain);
  const asText = (token: Token) => {
    change({ plain: [...plain, keyOf(token)] });
    form.current?.querySelector('input')?.focus();
  };
  const create = async () => {
    const doesOpen = opens.current;
    opens.current = false;
    await newLabel.created();
    const loaded = await load(queryClient, workspace.id, text);
    const { title, input } = read(text, plain, loaded);
    requireTodo(title, input, (id) => loaded.people.some((one) => one.id === id && one.type === 'agent'));
    // The same line has the same id: sent again after a lost answer, it makes no second todo.
    const todo = { ...input, id: made.text === text ? made.id : newId() };
    change({ made: { text, id: todo.id } });
    const shown = newTodoOf(todo, { identity, lists, people: loaded.people, labels: loaded.labels });
    if (todo.run) await api.todos.create.mutate(todo);
    const sent = todo.run ? undefined : await queue(todo, shown);
    // Not what was typed meanwhile.
    change((now) => ({ made: noneMade, ...(now.text === text && { text: '', plain: [] }) }));
    const created = { id: todo.id, title, todo: shown, opens: doesOpen };
    if (sent) void settle(sent, { text, plain }, created);
    else {
      await readAgain(queryClient, 'todos');
      onCreated(created);
    }
  };
  /** Shows the todo at once. A run is no such change: it spends minutes. */
  const queue = async (input: NewTodo, todo: Todo): Promise<Sent> => {
    const outbox = await openOutbox(identity);
    return outbox.add({ action: { operation: 'create', input }, todos: [todo] });
  };
  const settle = async (
    sent: Sent,
    given: Pick<typeof draft, 'text' | 'plain'>,
    created: Extract<Created, { id: string }>,
  ) => {
    const outcome = await sent.outcome;
    if (outcome.state === 'refused') {
      notify(`“${created.title}” is not created. ${outcome.problem.message}`);
      // It stays among the unsent changes if the next one is being typed already, or nobody sees the form.
      if (typed.current !== '' || !isHere()) return;
      change(given);
      await (await openOutbox(identity)).discard(sent.write.id);
    } else if (outcome.state !== 'withdrawn') onCreated({ ...created, isWaiting: outcome.state === 'waits' });
  };
  return (
    <div ref={form} className="form quick-add">
      <Form
        fields={{ title: { label, required: 'Enter a title' } }}
        submit={parentTodoId === undefined ? 'Add todo' : 'Add sub-todo'}
        busy="Adding…"
        label={parentTodoId === undefined ? 'New todo' : 'New sub-todo'}
        onSubmit={create}
      >
        <LineField
          label={label}
          value={text}
          example={dueDate ? 'Due today, such as: call the bank 5pm !urgent' : undefined}
          tokens={line.tokens}
          names={{ lists, people, labels }}
          onChange={(value) => {
            opens.current = false;
            change({ text: value });
          }}
          onText={asText}
          onLabel={newLabel.create}
          onLines={(lines) => change({ pasted: lines, sent: undefined })}
          onOpen={() => {
            opens.current = true;
            form.current?.querySelector('form')?.requestSubmit();
          }}
        />
        <TokenChips
          line={line}
          timeZone={workspace.timezone}
          onText={asText}
          isDueToday={text !== '' && line.isDueToday}
        />
        {isTyped && (
          <Suspense>
            <SchedulePreview workspaceId={workspace.id} schedule={repeatedOf(line.input)} times={3} />
          </Suspense>
        )}
      </Form>
      {pasted !== '' && (
        <Suspense>
          <PastedLines
            text={pasted}
            read={read}
            sent={draft.sent}
            write={(changes, before) => change((now) => (now.pasted === before ? changes : {}))}
            onDone={(count) => onCreated({ count })}
          />
        </Suspense>
      )}
    </div>
  );
}

function repeatedOf({ schedule }: NewTodoInput) {
  return schedule === undefined || schedule.runAt !== undefined ? null : schedule;
}
