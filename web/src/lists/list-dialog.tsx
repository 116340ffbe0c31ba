import { useQueryClient } from '@tanstack/react-query';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import type { TodoList } from '../work/queries.ts';
import { ListFields, listFields, listValues } from './list-fields.tsx';

/** The focus goes to the name when the dialog opens, with all of it selected. */
function selectName(part: HTMLElement | null): void {
  const input = part?.querySelector('input');
  input?.focus();
  input?.select();
}

/** The dialog that renames a list. */
export function ListDialog({ list, close }: { list: TodoList; close: () => void }) {
  const queryClient = useQueryClient();
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={close}>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">Rename the list</Heading>
          <Form
            fields={listFields}
            submit="Save"
            busy="Saving…"
            onSubmit={async (filled) => {
              await api.todoLists.update.mutate({ todoListId: list.id, ...listValues(filled) });
              await readAgain(queryClient, 'todos');
              close();
            }}
            actions={<Button onPress={close}>Cancel</Button>}
          >
            <div ref={selectName}>
              <ListFields list={list} />
            </div>
          </Form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
