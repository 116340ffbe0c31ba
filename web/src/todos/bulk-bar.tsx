import { type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemOf } from '../api/client.ts';
import { type Patch, startsWords, tryOut } from '../edits/changes.ts';
import type { TodoCommands } from '../edits/list-actions.ts';
import type { Changes } from '../edits/use-changes.ts';
import type { Assignable } from '../quick-add/parse.ts';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { type Todo, todoListsQuery } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/lazy-overlay.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { priorities } from './filter.ts';
import { useMatches } from './use-matches.ts';
import type { TodoPages } from './use-pending.ts';
import type { Selection } from './use-selection.ts';

const statusEntries = [
  { id: 'ready', label: 'To do' },
  { id: 'in_progress', label: 'In progress' },
  { id: 'done', label: 'Done' },
] as const;
const priorityEntries = [
  ...priorities.map((id) => ({ id, label: `${id[0]?.toUpperCase()}${id.slice(1)}` })),
  { id: 'none', label: 'No priority' },
];

interface BulkBarProps {
  todos: () => readonly Todo[];
  selection: Selection;
  /** What is loaded of what the filter finds, and how many that is. */
  pages: UseInfiniteQueryResult<TodoPages>;
  total: number;
  changes: Changes;
  /** Opens the dialogs of their due date and their labels. */
  commands: Pick<TodoCommands, 'choose' | 'label'>;
  /** Ends the selection. */
  close: () => void;
}

/** What the bar is at, in words. */
function stateOf(progress: Changes['progress'], reading: number | null, count: number, total: number): string {
  if (progress) return `${progress.done} of ${progress.of}…`;
  if (reading !== null) return `Reading ${reading.toLocaleString('en')} of ${total.toLocaleString('en')}…`;
  return `${count.toLocaleString('en')} selected`;
}

/** What can be done with the selected todos. */
export function BulkBar({ todos, selection, pages, total, changes, commands, close }: BulkBarProps) {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id)).data ?? [];
  const { progress, patch } = changes;
  const count = selection.selected.size;
  const { reading, select } = useMatches(pages, selection);
  const setStatus = (id: string) => {
    const entry = statusEntries.find((each) => each.id === id);
    if (entry) patch(todos(), { status: entry.id }, `set to “${entry.label}”`);
  };
  const setPriority = (id: string) => {
    const priority = priorities.find((each) => each === id) ?? null;
    patch(todos(), { priority }, priority === null ? 'without a priority' : `set to ${priority} priority`);
  };
  const moveTo = (todoListId: string) => {
    const name = lists.find(({ id }) => id === todoListId)?.name ?? 'the list';
    patch(todos(), { todoListId }, `moved to ${name}`);
  };
  return (
    <>
      <p role="status">{stateOf(progress, reading, count, total)}</p>
      {reading === null && total > count && (
        <Button kind="quiet" onPress={() => void select()}>
          Select all {total.toLocaleString('en')} that match
        </Button>
      )}
      <BulkMenu name="Status" entries={statusEntries} onChoose={setStatus} />
      <BulkMenu name="Priority" entries={priorityEntries} onChoose={setPriority} />
      <Button kind="quiet" aria-haspopup="dialog" onPress={() => commands.choose('due')}>
        Due date
      </Button>
      <BulkMenu name="List" entries={lists.map(({ id, name }) => ({ id, label: name }))} onChoose={moveTo} />
      <Button kind="quiet" aria-haspopup="dialog" onPress={commands.label}>
        Labels
      </Button>
      <AssignMenu todos={todos} patch={patch} />
      <Button kind="quiet" onPress={() => changes.archive(todos())}>
        {todos().every(({ isArchived }) => isArchived) ? 'Restore' : 'Archive'}
      </Button>
      <Button kind="quiet" onPress={close}>
        Clear
      </Button>
    </>
  );
}

interface BulkMenuProps {
  name: string;
  entries: readonly { id: string; label: string }[];
  onChoose: (id: string) => void;
  onOpen?: () => void;
}

function BulkMenu({ name, entries, ...menu }: BulkMenuProps) {
  return (
    <MenuButton
      label={`${name} of the selected todos`}
      className="menu-button"
      heading={name}
      entries={[...entries]}
      {...menu}
    >
      {name}
    </MenuButton>
  );
}

/** Assigns the todos to one worker. An agent would start on each of them, so that is tried out and asked first. */
function AssignMenu({ todos, patch }: { todos: () => readonly Todo[]; patch: Changes['patch'] }) {
  const { workspace, user } = useIdentity();
  const notify = useNotice();
  const workers = useQuery({ ...assignableQuery(workspace.id), enabled: false });
  const [asked, setAsked] = useState<Assignable | null>(null);
  const assign = (worker: Assignable | undefined) => {
    const fields: Patch = { assignees: worker ? [{ id: worker.id, type: worker.type }] : [] };
    patch(todos(), fields, worker ? `assigned to ${worker.name}` : 'assigned to nobody');
  };
  const choose = async (id: string) => {
    const worker = (workers.data ?? []).find((each) => each.id === id);
    if (worker?.type !== 'agent') return assign(worker);
    try {
      await tryOut({ assignees: [{ id, type: 'agent' }] }, todos());
      setAsked(worker);
    } catch (error) {
      notify(problemOf(error).message);
    }
  };
  return (
    <>
      <BulkMenu
        name="Assignee"
        entries={[
          { id: 'nobody', label: 'Nobody' },
          ...(workers.data ?? []).map(({ id, name, type }) => ({
            id,
            label: id === user.id ? `${name} (you)` : type === 'agent' ? `${name} (agent)` : name,
          })),
        ]}
        onChoose={(id) => void choose(id)}
        onOpen={() => void workers.refetch()}
      />
      {asked && (
        <ConfirmDialog
          title={`Assign to ${asked.name}?`}
          confirm="Assign and start"
          busy="Assigning…"
          onConfirm={async () => assign(asked)}
          close={() => setAsked(null)}
        >
          {startsWords(todos(), asked.id, workspace.agentMinutesRemaining)}
        </ConfirmDialog>
      )}
    </>
  );
}
