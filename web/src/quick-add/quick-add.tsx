import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { v7 as newId } from 'uuid';
import { api } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Form } from '../ui/form.tsx';
import type { FindDates } from './dates.ts';
import { useLineDraft } from './draft.ts';
import { LineField } from './line-field.tsx';
import { keyOf, type Named, type NewTodoInput, parseLine, type Surroundings, type Token } from './parse.ts';
import { linesOf, PastedLines } from './pasted-lines.tsx';
import { assignableQuery, me } from './queries.ts';
import { SchedulePreview } from './schedule-preview.tsx';
import { TokenChips } from './token-chips.tsx';

/** What was created: one todo, which the person wants to open or not, or as many as were pasted. */
export type Created = { id: string; title: string; opens: boolean } | { count: number };

export interface QuickAddProps {
  lists: readonly Named[];
  /** The list of todos that name none. */
  todoListId?: string;
  onCreated: (created: Created) => void;
}

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
  const [dates, assignable] = await Promise.all([
    import('./dates.ts').catch(() => undefined),
    text.includes('@') ? queryClient.ensureQueryData(assignableQuery(workspaceId)) : [],
  ]);
  return { findDates: dates?.findDates, people: [me, ...assignable] };
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

/** A line that becomes a todo. Dates, `!priority`, `#list`, `@assignee`, “every …” and `/run` are read as they are typed. */
export function QuickAdd({ lists, todoListId, onCreated }: QuickAddProps) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const { draft, change } = useLineDraft(workspace.id);
  const { text, plain, pasted } = draft;
  const isTyped = text !== '' || pasted !== '';
  const findDates = useFindDates(isTyped);
  const assignable = useQuery({ ...assignableQuery(workspace.id), enabled: isTyped });
  const people = useMemo(() => [me, ...(assignable.data ?? [])], [assignable.data]);
  const form = useRef<HTMLDivElement>(null);
  const opens = useRef(false);
  const { hash } = useLocation();
  // The command “New todo” leads to `/todos#new`, maybe before this code is loaded.
  useEffect(() => {
    if (hash === '#new') form.current?.querySelector('input')?.focus();
  }, [hash]);
  const made = useRef({ text: '', id: '' });
  const read = (line: string, asText: readonly string[] = [], loaded: Partial<Surroundings> = {}) => {
    const given = { now: Date.now(), timeZone: workspace.timezone, lists, people, findDates, ...loaded };
    const parsed = parseLine(line, { ...given, plain: new Set(asText) });
    const isElsewhere = parsed.input.todoListId !== undefined || todoListId === undefined;
    return isElsewhere ? parsed : { ...parsed, input: { ...parsed.input, todoListId } };
  };
  const line = read(text, plain);
  const asText = (token: Token) => {
    change({ plain: [...plain, keyOf(token)] });
    form.current?.querySelector('input')?.focus();
  };
  const create = async () => {
    const doesOpen = opens.current;
    opens.current = false;
    const loaded = await load(queryClient, workspace.id, text);
    const { title, input } = read(text, plain, loaded);
    requireTodo(title, input, (id) => loaded.people.some((one) => one.id === id && one.type === 'agent'));
    // The same line has the same id: sent again after a lost answer, it makes no second todo.
    if (made.current.text !== text) made.current = { text, id: newId() };
    const { id } = await api.todos.create.mutate({ ...input, id: made.current.id });
    made.current = { text: '', id: '' };
    change({ text: '', plain: [] });
    await readAgain(queryClient, 'todos');
    onCreated({ id, title, opens: doesOpen });
  };
  return (
    <div ref={form} className="quick-add">
      <Form
        fields={{ title: { label: 'Title', required: 'Enter a title' } }}
        submit="Add todo"
        busy="Adding…"
        label="New todo"
        onSubmit={create}
      >
        <LineField
          value={text}
          tokens={line.tokens}
          lists={lists}
          people={people}
          onChange={(value) => {
            opens.current = false;
            change({ text: value });
          }}
          onText={asText}
          onLines={(lines) => change({ pasted: lines })}
          onOpen={() => {
            opens.current = true;
            form.current?.querySelector('form')?.requestSubmit();
          }}
        />
        <TokenChips line={line} timeZone={workspace.timezone} onText={asText} />
        <SchedulePreview workspaceId={workspace.id} schedule={repeatedOf(line.input)} times={3} />
      </Form>
      {pasted !== '' && (
        <PastedLines
          lines={linesOf(pasted)}
          read={read}
          create={async (data) => void (await api.todos.createBatch.mutate({ data }))}
          onDone={(count) => {
            change({ pasted: '' });
            void readAgain(queryClient, 'todos');
            onCreated({ count });
          }}
          onCancel={() => change({ pasted: '' })}
        />
      )}
    </div>
  );
}

function repeatedOf({ schedule }: NewTodoInput) {
  return schedule === undefined || schedule.runAt !== undefined ? null : schedule;
}
