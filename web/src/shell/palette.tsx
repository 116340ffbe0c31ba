import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { api, problemOf } from '../api/client.ts';
import { identityQuery, readAgain } from '../api/queries.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { todoListsQuery } from '../work/queries.ts';
import type { Command } from './command.ts';
import { useCommandContext } from './command-context.ts';
import { commands } from './commands.ts';
import { Keys } from './shortcut-keys.tsx';

const sections: readonly Command['section'][] = ['List', 'Go to', 'Create', 'View', 'Account'];

/** Finds commands and lists by what is typed, and makes a todo of it. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const context = useCommandContext();
  const { contains } = useFilter({ sensitivity: 'base' });
  const create = useCreateTodo();
  const shown = commands.filter(({ when }) => when?.(context) !== false);
  const title = query.trim();
  const choose = (id: string) => {
    onClose();
    if (id === 'create') create(title);
    else if (id.startsWith('/')) context.go(id);
    else shown.find((command) => command.id === id)?.run(context);
  };
  return (
    <ModalOverlay className="overlay palette-overlay" isOpen onOpenChange={onClose} isDismissable>
      <Modal className="modal palette">
        <Dialog className="palette-dialog" aria-label="Find a command">
          <Autocomplete inputValue={query} onInputChange={setQuery} filter={contains}>
            <SearchField className="palette-field" aria-label="Find a command" autoFocus>
              <Icon name="search" />
              <Input className="palette-input" placeholder="Find a page or a command, or name a todo" />
            </SearchField>
            <Menu
              className="options palette-options"
              aria-label="Commands"
              onAction={(id) => choose(String(id))}
              renderEmptyState={() => <p className="no-option">Nothing is found.</p>}
            >
              {sections.map((section) => (
                <MenuSection key={section} aria-label={section}>
                  <Header className="option-header">{section}</Header>
                  {shown
                    .filter((command) => command.section === section)
                    .map(({ id, title: name, words, icon, keys }) => (
                      <Entry key={id} id={id} text={`${name} ${words ?? ''}`} icon={icon} name={name} keys={keys} />
                    ))}
                </MenuSection>
              ))}
              <ListEntries />
              {title !== '' && (
                <MenuSection aria-label="New">
                  <Header className="option-header">New</Header>
                  <Entry id="create" text={`Create todo ${query}`} icon="plus" name={`Create todo “${title}”`} />
                </MenuSection>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface EntryProps {
  id: string;
  /** What it is found by. */
  text: string;
  name: string;
  icon?: IconName | undefined;
  keys?: string | undefined;
}

function Entry({ id, text, name, icon, keys }: EntryProps) {
  return (
    <MenuItem id={id} className="option" textValue={text}>
      <span className="option-name">
        {icon && <Icon name={icon} />}
        {name}
      </span>
      {keys !== undefined && <Keys of={keys} />}
    </MenuItem>
  );
}

function ListEntries() {
  const workspaceId = useQuery(identityQuery).data?.workspace.id ?? '';
  const lists = useQuery(todoListsQuery(workspaceId)).data ?? [];
  if (lists.length === 0) return null;
  return (
    <MenuSection aria-label="Lists">
      <Header className="option-header">Lists</Header>
      {lists.map(({ id, name }) => (
        <Entry key={id} id={`/lists/${id}`} text={`${name} list`} icon="captures" name={name} />
      ))}
    </MenuSection>
  );
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
