import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { type Filled, Form } from './form.tsx';
import type { Fields } from './form-errors.tsx';
import { useIsHere } from './here.ts';
import { Overlay } from './overlay.tsx';

interface FormDialogProps {
  title: string;
  fields: Fields;
  /** Saves it. The dialog closes when that has succeeded, and shows the error otherwise. */
  onSave: (filled: Filled) => Promise<unknown>;
  close: () => void;
  children: ReactNode;
}

/** The focus goes to the first field when the dialog opens, with all of its text selected. */
function selectFirst(part: HTMLElement | null): void {
  const input = part?.querySelector('input');
  input?.focus();
  input?.select();
}

/** A dialog with a form. */
export function FormDialog({ title, fields, onSave, close, children }: FormDialogProps) {
  const isHere = useIsHere();
  return (
    <Overlay title={title} close={close}>
      <Form
        fields={fields}
        submit="Save"
        busy="Saving…"
        onSubmit={async (filled) => {
          await onSave(filled);
          // Not where it was closed before: another one may be open by then.
          if (isHere()) close();
        }}
        actions={<Button onPress={close}>Cancel</Button>}
      >
        <div ref={selectFirst}>{children}</div>
      </Form>
    </Overlay>
  );
}
