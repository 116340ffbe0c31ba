import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { colorNames, type LabelColor } from '../labels/colors.ts';
import { type Label, labelsQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { SelectField } from '../ui/choices.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useIsHere } from '../ui/here.ts';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { useChanged } from '../ui/use-changed.ts';

const fields: Fields = { name: { label: 'Name', required: 'Enter a name' }, color: { label: 'Colour' } };
const maxName = 50;
const colors = Object.entries(colorNames).map(([id, label]) => ({ id, label }));

const valuesOf = (filled: Filled) => ({
  name: filled.text('name').trim(),
  color: filled.text('color') as LabelColor,
});

/** Page of the labels of the workspace. */
export function Labels() {
  const { workspace } = useIdentity();
  const labels = useQuery(labelsQuery(workspace.id));
  return (
    <Page
      title="Labels"
      intro="Labels mark todos across lists. A todo may have several. All members use and change the same labels."
    >
      <Card title="New label">
        <CreateForm />
      </Card>
      <Card title="Labels of the workspace">
        <Loaded query={labels} what="the labels">
          {(all) =>
            all.length === 0 ? (
              <Empty title="No labels yet">You can also create them while you put labels on a todo.</Empty>
            ) : (
              <Rows label="Labels">
                {all.map((label) => (
                  <LabelRow key={label.id} label={label} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function LabelFields({ name, color }: Pick<Label, 'name' | 'color'>) {
  return (
    <div className="side-by-side">
      <TextField name="name" label="Name" defaultValue={name} autoComplete="off" maxLength={maxName} />
      <SelectField name="color" label="Colour" options={colors} defaultValue={color} />
    </div>
  );
}

function CreateForm() {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const create = async (filled: Filled) => {
    const { name } = await api.labels.create.mutate(valuesOf(filled));
    await readAgain(queryClient, 'labels');
    notify(`The label “${name}” is created.`);
  };
  return (
    <Form fields={fields} submit="Create label" busy="Creating…" onSubmit={create} label="New label" clears>
      <LabelFields name="" color="gray" />
    </Form>
  );
}

/** Returns what reads the labels, and the todos that have them, again. */
function useRefresh() {
  const queryClient = useQueryClient();
  return async () => {
    await readAgain(queryClient, 'labels');
    await readAgain(queryClient, 'todos');
  };
}

interface ChangeFormProps {
  label: Label;
  close: () => void;
}

function ChangeForm({ label: { id: labelId, name, color }, close }: ChangeFormProps) {
  const refresh = useRefresh();
  const isHere = useIsHere();
  const send = useChanged({ name, color });
  const change = async (filled: Filled) => {
    await send(valuesOf(filled), (changes) => api.labels.update.mutate({ labelId, ...changes }));
    await refresh();
    // Not where it was closed before: another one may be open by then.
    if (isHere()) close();
  };
  return (
    <Form
      fields={fields}
      submit="Save"
      busy="Saving…"
      kind="secondary"
      onSubmit={change}
      label={`Change ${name}`}
      actions={<Button onPress={close}>Cancel</Button>}
    >
      <LabelFields name={name} color={color} />
    </Form>
  );
}

function LabelRow({ label }: { label: Label }) {
  const { id: labelId, name, color } = label;
  const refresh = useRefresh();
  const notify = useNotice();
  const [isChanging, setChanging] = useState(false);
  const remove = async () => {
    await api.labels.delete.mutate({ labelId });
    await refresh();
    notify(`The label “${name}” is deleted.`);
  };
  return (
    <Row
      title={<span className={`todo-chip label-chip ${color}`}>{name}</span>}
      detail={isChanging && <ChangeForm label={label} close={() => setChanging(false)} />}
      actions={
        <>
          <ButtonLink to={`/todos?labelId=${labelId}`} kind="quiet">
            <span className="visually-hidden">{name}: </span>Todos
          </ButtonLink>
          {!isChanging && (
            <Button aria-label={`Change: ${name}`} onPress={() => setChanging(true)}>
              Change
            </Button>
          )}
          <ConfirmButton
            label="Delete"
            about={name}
            title="Delete this label?"
            confirm="Delete label"
            busy="Deleting…"
            onConfirm={remove}
          >
            <Consequence labelId={labelId} name={name} />
          </ConfirmButton>
        </>
      }
    />
  );
}

/** How many todos lose the label: active and done ones, without those that are archived. */
function Consequence({ labelId, name }: { labelId: string; name: string }) {
  const { workspace } = useIdentity();
  const { data } = useQuery({
    queryKey: ['todos', workspace.id, 'labelled', labelId],
    queryFn: ({ signal }) => api.todos.summary.query({ labelId, archived: 'any' }, { signal }),
    staleTime: 0,
  });
  const count = data === undefined ? 'all todos' : data.total === 1 ? 'one todo' : `${data.total} todos`;
  return (
    <p>
      “{name}” is taken off {count}, archived ones included. The todos themselves stay. This cannot be undone.
    </p>
  );
}
