import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { FindDates } from '../quick-add/dates.ts';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { dateHere, dueInWords, existingDay } from '../todo-common/days.ts';
import { type Todo, todoListsQuery } from '../todo-common/queries.ts';
import { useArrival } from '../ui/arrival.ts';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { noValue } from './changes.ts';
import type { FieldName } from './list-actions.ts';

/* What a field of todos can be set to, for the dialog that the keys of a list open. */

/** A value that can be chosen. */
export interface FieldChoice {
  id: string;
  name: string;
  /** An agent, which starts where it is assigned. */
  isAgent?: boolean;
}

const weekDays = 7;
const longDay = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const wordsOf = (day: string, today: string) => `${dueInWords(day, today)}, ${longDay.format(new Date(day))}`;
const asTitle = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

const statusChoices: readonly FieldChoice[] = [
  { id: 'ready', name: 'To do' },
  { id: 'in_progress', name: 'In progress' },
  { id: 'done', name: 'Done' },
];
const priorityChoices: readonly FieldChoice[] = [
  ...['urgent', 'high', 'medium', 'low'].map((id) => ({ id, name: asTitle(id) })),
  { id: noValue, name: 'No priority' },
];

const noDates: FindDates = () => [];

/**
 * Days to choose from: the one that is typed, else the usual ones. Undefined until what is typed can be read as a day.
 */
function useDays(typed: string, isNeeded: boolean): readonly FieldChoice[] | undefined {
  const [find, setFind] = useState<FindDates>();
  useEffect(() => {
    if (isNeeded)
      void import('../quick-add/dates.ts').then(
        ({ findDates }) => setFind(() => findDates),
        () => setFind(() => noDates),
      );
  }, [isNeeded]);
  const today = dateHere();
  if (typed !== '' && !find) return undefined;
  const days = [today, dateHere(1), dateHere(weekDays)];
  const found = find?.(typed, Date.now(), ownTimeZone).find(({ day }) => day !== null)?.day ?? null;
  const named = existingDay(typed) ?? found;
  if (named !== null) return [{ id: named, name: asTitle(wordsOf(named, today)) }];
  return [
    ...days.map((day) => ({ id: day, name: asTitle(wordsOf(day, today)) })),
    { id: noValue, name: 'No due date' },
  ];
}

interface FieldChoices {
  /** Undefined until they are read. */
  choices: readonly FieldChoice[] | undefined;
  /** What reads them; undefined for a field whose choices are known. */
  query: UseQueryResult<unknown> | undefined;
}

/** The choices of a field that contain what is typed. */
export function useFieldChoices(field: FieldName, typed: string): FieldChoices {
  const { workspace, user } = useIdentity();
  const lists = useQuery({ ...todoListsQuery(workspace.id), enabled: field === 'list' });
  const workers = useQuery({ ...assignableQuery(workspace.id), enabled: field === 'assignee' || field === 'agent' });
  const days = useDays(typed, field === 'due');
  const people = workers.data?.map(({ id, name, type }) => ({
    id,
    name: id === user.id ? `${name} (you)` : type === 'agent' ? `${name} (agent)` : name,
    isAgent: type === 'agent',
  }));
  const choices = {
    due: days,
    status: statusChoices,
    priority: priorityChoices,
    list: lists.data,
    assignee: people && [...people, { id: noValue, name: 'Nobody' }],
    agent: workers.data?.filter(({ type }) => type === 'agent').map(({ id, name }) => ({ id, name })),
  }[field];
  const shown = useArrival(choices);
  // A day that was typed is named in other words.
  const isDay = field === 'due' && shown?.length === 1;
  return {
    choices: isDay ? shown : shown?.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())),
    query: { due: undefined, status: undefined, priority: undefined, list: lists, assignee: workers, agent: workers }[
      field
    ],
  };
}

/** The id of the choice that all of the todos have; undefined where they differ. */
export function chosenOf(field: FieldName, todos: readonly Todo[]): string | undefined {
  const idOf = ({ status, priority, dueDate, todoListId, assignees }: Todo) =>
    ({
      status,
      priority: priority ?? noValue,
      due: dueDate ?? noValue,
      list: todoListId,
      assignee: assignees.length === 0 ? noValue : assignees.map(({ id }) => id).join(),
      agent: assignees.find(({ type }) => type === 'agent')?.id ?? noValue,
    })[field];
  const [first, ...rest] = todos.map(idOf);
  return rest.every((value) => value === first) ? first : undefined;
}
