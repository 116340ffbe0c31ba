import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFilter } from 'react-aria-components';
import { api, problemOf } from '../api/client.ts';
import { identityQuery, readAgain } from '../api/queries.ts';
import { useArrival } from '../ui/arrival.ts';
import { Finder, type FinderEntry, type FinderGroup } from '../ui/finder.tsx';
import { useNotice } from '../ui/notice.tsx';
import type { TypedAhead } from '../ui/typed-ahead.tsx';
import { todoListsQuery } from '../work/queries.ts';
import type { Command } from './command.ts';
import { useCommandContext } from './command-context.ts';
import { commands } from './commands.ts';
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
  const create = useCreateTodo();
  const workspaceId = useQuery(identityQuery).data?.workspace.id ?? '';
  const lists = useLists(workspaceId);
  const shown = commands.filter(({ when }) => when?.(context) !== false);
  const title = query.trim();
  const finds = (text: string) => contains(text, title);
  const found = useFound(workspaceId, query, finds);
  const isReading = lists.isReading || found.isReading;
  const choose = (id: string) => {
    close();
    if (id === 'create') create(title);
    else if (id.startsWith('/')) context.go(id);
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
        { name: 'New', entries: title !== '' && !isReading ? [creation] : [] },
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
    </Finder>
  );
}

function useLists(workspaceId: string) {
  const { data, isPending, failureCount, fetchStatus } = useQuery(todoListsQuery(workspaceId));
  const lists = useArrival(data) ?? [];
  return {
    entries: lists.map(({ id, name }) => ({
      id: `/lists/${id}`,
      text: `${name} list`,
      icon: 'captures' as const,
      name,
    })),
    isReading: isPending && failureCount === 0 && fetchStatus === 'fetching',
  };
}

function useCreateTodo(): (title: string) => void {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const creating = useMutation({
    mutationFn: (title: string) => api.todos.create.mutate({ title }),
    onSuccess: async (_, title) => {
      notify(`“${title}” is on the list.`);
      await readAgain(queryClient, 'todos');
    },
    onError: (error) => notify(problemOf(error).message),
  });
  return creating.mutate;
}
