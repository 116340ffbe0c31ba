import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import type { View } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useIsHere } from '../ui/here.ts';
import { NamedFields } from '../ui/named-fields.tsx';
import { Overlay } from '../ui/overlay.tsx';
import { useChanged } from '../ui/use-changed.ts';

const fields: Fields = {
  name: { label: 'Name', required: 'Enter a name' },
  icon: { label: 'Emoji' },
  isShared: { label: 'Share with the workspace' },
};
const maxName = 80;

interface ViewDialogProps {
  /** The view that is renamed or shared; undefined for a new one. */
  view?: View | undefined;
  /** What a new view shows. */
  query: View['query'];
  onSaved: (view: View) => void;
  close: () => void;
}

/** The dialog that names a view and shares it with the workspace. */
export function ViewDialog({ view, query, onSaved, close }: ViewDialogProps) {
  const id = useId();
  const queryClient = useQueryClient();
  const isHere = useIsHere();
  const send = useChanged<Pick<View, 'name' | 'icon' | 'isShared'>>(view ?? {});
  const save = async (filled: Filled) => {
    const values = {
      name: filled.text('name').trim(),
      icon: filled.text('icon').trim() || null,
      isShared: filled.text('isShared') !== '',
    };
    const { icon, ...others } = values;
    const saved = await send(values, (changes) =>
      view
        ? api.views.update.mutate({ viewId: view.id, ...changes })
        : api.views.create.mutate({ ...others, ...(icon !== null && { icon }), query }),
    );
    await readAgain(queryClient, 'views');
    // Not where it was closed before: the person has gone on.
    if (!isHere()) return;
    close();
    onSaved(saved);
  };
  return (
    <Overlay title={view ? 'Change the view' : 'Save as view'} close={close}>
      <Form
        fields={fields}
        submit="Save"
        busy="Saving…"
        onSubmit={save}
        actions={<Button onPress={close}>Cancel</Button>}
      >
        <NamedFields name={view?.name} maxName={maxName} emojiField="icon" emoji={view?.icon} />
        <p className="view-share">
          <input id={id} type="checkbox" name="isShared" value="true" defaultChecked={view?.isShared ?? false} />
          <label htmlFor={id}>Share with the workspace</label>
        </p>
      </Form>
    </Overlay>
  );
}

/** The dialog that asks before a view is deleted, on its page. */
export function DeleteView({ view, close }: { view: View; close: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete the view “${view.name}”?`}
      confirm="Delete view"
      busy="Deleting…"
      onConfirm={async () => {
        const { pathname } = location;
        await api.views.delete.mutate({ viewId: view.id });
        // Only from here: the person may have gone on.
        if (location.pathname === pathname) void navigate('/todos');
        await readAgain(queryClient, 'views');
      }}
      close={close}
    >
      <p>{view.isShared ? 'Nobody in the workspace sees it any more. ' : ''}Its todos stay.</p>
    </ConfirmDialog>
  );
}
