import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { allTodoListsQuery, type TodoList } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import { useIsHere } from '../ui/here.ts';
import { useNotice } from '../ui/notice.tsx';
import { Page, useFocusOnNew } from '../ui/page.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { useChanged } from '../ui/use-changed.ts';
import { ListFields, type ListValues, listFields, listValues } from './list-fields.tsx';
import { useArchiveList } from './use-archive.ts';

/** Page `/lists`: the lists of the workspace, and those that are archived. */
export function ListsPage() {
  const { workspace } = useIdentity();
  const lists = useQuery(allTodoListsQuery(workspace.id));
  useFocusOnNew('name');
  return (
    <Page title="Lists" intro="Each todo is in one list. All members use and change the same lists.">
      <Card title="New list">
        <CreateForm />
      </Card>
      <Card title="Lists of the workspace">
        <Loaded query={lists} what="the lists">
          {(all) => <ListRows label="Lists" lists={all.filter(({ isArchived }) => !isArchived)} />}
        </Loaded>
      </Card>
      {lists.data?.some(({ isArchived }) => isArchived) && (
        <Card title="Archived lists" intro="Their todos are still found in “All todos” and by search.">
          <ListRows label="Archived lists" lists={lists.data.filter(({ isArchived }) => isArchived)} />
        </Card>
      )}
    </Page>
  );
}

function ListRows({ label, lists }: { label: string; lists: readonly TodoList[] }) {
  return (
    <Rows label={label}>
      {lists.map((list) => (
        <ListRow key={list.id} list={list} />
      ))}
    </Rows>
  );
}

function CreateForm() {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const create = async (filled: Filled) => {
    const { name, emoji } = listValues(filled);
    await api.todoLists.create.mutate({ name, ...(emoji !== null && { emoji }) });
    await readAgain(queryClient, 'todos');
    notify(`The list “${name}” is created.`);
  };
  return (
    <Form fields={listFields} submit="Create list" busy="Creating…" onSubmit={create} label="New list" clears>
      <ListFields />
    </Form>
  );
}

function ListRow({ list }: { list: TodoList }) {
  const { id, name, emoji, isDefault, isArchived, todoCount, activeTodoCount } = list;
  const [isChanging, setChanging] = useState(false);
  return (
    <Row
      title={<Link to={`/lists/${id}`}>{emoji === null ? name : `${emoji} ${name}`}</Link>}
      badges={isDefault && <Badge>Default</Badge>}
      facts={[`${activeTodoCount.toLocaleString('en')} active`, `${todoCount.toLocaleString('en')} in total`]}
      detail={isChanging && <ChangeForm list={list} close={() => setChanging(false)} />}
      actions={
        <>
          {!isChanging && (
            <Button aria-label={`Change: ${name}`} onPress={() => setChanging(true)}>
              Change
            </Button>
          )}
          {!isDefault && <ArchiveButton list={list} />}
          {isArchived && <DeleteButton list={list} />}
        </>
      }
    />
  );
}

interface ChangeFormProps {
  list: TodoList;
  close: () => void;
}

function ChangeForm({ list, close }: ChangeFormProps) {
  const queryClient = useQueryClient();
  const isHere = useIsHere();
  const send = useChanged<ListValues>(list);
  const change = async (filled: Filled) => {
    await send(listValues(filled), (changes) => api.todoLists.update.mutate({ todoListId: list.id, ...changes }));
    await readAgain(queryClient, 'todos');
    // Not where it was closed before: another one may be open by then.
    if (isHere()) close();
  };
  return (
    <Form
      fields={listFields}
      submit="Save"
      busy="Saving…"
      kind="secondary"
      onSubmit={change}
      label={`Change ${list.name}`}
      actions={<Button onPress={close}>Cancel</Button>}
    >
      <ListFields list={list} />
    </Form>
  );
}

function ArchiveButton({ list }: { list: TodoList }) {
  const archive = useArchiveList(list);
  const label = list.isArchived ? 'Restore' : 'Archive';
  return (
    <Button
      kind="quiet"
      aria-label={`${label}: ${list.name}`}
      isBusy={archive.isPending}
      onPress={() => archive.mutate(!list.isArchived)}
    >
      {label}
    </Button>
  );
}

function DeleteButton({ list: { id, name } }: { list: TodoList }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const remove = async () => {
    await api.todoLists.delete.mutate({ todoListId: id });
    await readAgain(queryClient, 'todos');
    notify(`The list “${name}” is deleted.`);
  };
  return (
    <ConfirmButton
      label="Delete"
      about={name}
      title={`Delete the list “${name}”?`}
      confirm="Delete list"
      busy="Deleting…"
      onConfirm={remove}
    >
      <p>A list that contains todos cannot be deleted, archived todos included. This cannot be undone.</p>
    </ConfirmButton>
  );
}
