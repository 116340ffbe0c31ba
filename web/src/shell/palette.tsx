import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useFilter } from 'react-aria-components';
import { problemOf } from '../api/problem.ts';
import { identityQuery } from '../api/queries.ts';
import { openOutbox } from '../outbox/current.ts';
import { type TodoList, todoListsQuery } from '../todo-common/queries.ts';
import { useArrival } from '../ui/arrival.ts';
import { Finder, type FinderEntry, type FinderGroup } from '../ui/finder.tsx';
import { useNotice } from '../ui/notice.tsx';
import type { TypedAhead } from '../ui/typed-ahead.tsx';
import type { Command } from './command.ts';
import { useCommandContext } from './command-context.ts';
import { commands } from './commands.ts';
import { createTodo, maxTitle } from './create-todo.ts';
import { useFound } from './found.ts';
import { Keys } from './shortcut-keys.tsx';

const sections: readonly Command['section'][] = ['List', 'Go to', 'Create', 'View', 'Account'];

interface PaletteProps {
  ahead: TypedAhead;
  close: () => void;
}

/** Finds commands, lists, todos, chats, captures and agents by what is typed, and makes a todo of it. */
export function Palette({ ahead, close }: PaletteProps) {
  const [query, setQuery] = useState('');
  const context = useCommandContext();
  const { contains } = useFilter({ sensitivity: 'base' });
  const workspaceId = useQuery(identityQuery).data?.workspace.id ?? '';
  const lists = useLists(workspaceId);
  const creating = useCreateTodo(lists.lists, close);
  const shown = commands.filter(({ when }) => when?.(context) !== false);
  const title = query.trim();
  const finds = (text: string) => contains(text, title);
  const found = useFound(workspaceId, query, finds);
  const isReading = lists.isReading || found.isReading;
  const choose = (id: string) => {
    if (id === 'create') return creating.create(title);
    close();
    if (id.startsWith('/')) context.go(id);
    else shown.find((command) => command.id === id)?.run(context);
  };
  const groupOf = (section: Command['section']): FinderGroup => ({
    name: section,
    entries: shown
      .filter((command) => command.section === section && finds(`${command.title} ${command.words ?? ''}`))
      .map(({ id, title: name, icon, keys }) => ({
        id,
        name,
        icon,
        ...(keys !== undefined && { aside: <Keys of={keys} /> }),
      })),
  });
  const isTooLong = [...title].length > maxTitle;
  const creation: FinderEntry = { id: 'create', name: `Create todo “${title}”`, icon: 'plus' };
  return (
    <Finder
      label="Find a command"
      placeholder="Find a command, a todo, a chat …, or name a new todo"
      listLabel="Commands"
      typed={query}
      onType={setQuery}
      groups={[
        ...sections.map(groupOf),
        { name: 'Lists', entries: lists.entries.filter(({ text }) => finds(text)) },
        ...found.groups,
        // Not before all is found, one of which may be what is meant.
        { name: 'New', entries: title !== '' && !isTooLong && !isReading ? [creation] : [] },
      ]}
      isReading={isReading}
      onChoose={choose}
      onClose={close}
      ahead={ahead}
    >
      {found.failure && (
        <p className="no-option" role="status">
          {found.failure}
        </p>
      )}
      {(isTooLong || creating.error !== null) && (
        <p className="no-option" role="alert">
          {isTooLong
            ? `The title of a todo has at most ${maxTitle} characters. Shorten it to create one.`
            : `The todo is not created. ${problemOf(creating.error).message}`}
        </p>
      )}
    </Finder>
  );
}

function useLists(workspaceId: string) {
  const { data, isPending, failureCount, fetchStatus } = useQuery(todoListsQuery(workspaceId));
  const lists = useArrival(data) ?? [];
  return {
    lists,
    entries: lists.map(({ id, name }) => ({
      id: `/lists/${id}`,
      text: `${name} list`,
      icon: 'captures' as const,
      name,
    })),
    isReading: isPending && failureCount === 0 && fetchStatus === 'fetching',
  };
}

/** Makes a todo of a title, and closes the palette once it cannot be lost any more. */
function useCreateTodo(lists: readonly TodoList[], close: () => void) {
  const identity = useQuery(identityQuery).data;
  const notify = useNotice();
  const isCreating = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: async (title: string) => identity && createTodo(title, await openOutbox(identity), identity, lists),
    onSuccess: (created) => void created?.words.then((words) => words !== null && notify(words)),
    onSettled: () => {
      isCreating.current = false;
    },
  });
  const create = (title: string) => {
    // A second press before it is closed.
    if (isCreating.current) return;
    isCreating.current = true;
    // Not where it was closed before: another one may be open by then.
    mutate(title, { onSuccess: close });
  };
  return { create, error };
}
