import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { problemOf } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { focusPageTitleIfLost } from './page.tsx';

/** What a dialog asks before something irreversible is done. */
export interface Asked {
  title: string;
  /** Description of the consequences. */
  children: ReactNode;
  confirm: string;
  busy: string;
  onConfirm: () => Promise<unknown>;
}

interface ConfirmDialogProps extends Asked {
  close: () => void;
}

/** The open dialog of a `ConfirmButton`. */
export function ConfirmDialog({ close, ...asked }: ConfirmDialogProps) {
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={close} isDismissable>
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          <Question {...asked} close={close} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Question({ title, children, confirm, busy, onConfirm, close }: ConfirmDialogProps) {
  const doing = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      close();
      // The row with the button may be gone: check where the focus is after the dialog has restored it.
      focusPageTitleIfLost();
    },
  });
  return (
    <>
      <Heading slot="title">{title}</Heading>
      <div className="dialog-text">{children}</div>
      <div role="alert">
        {doing.error && (
          <p className="callout danger">
            <Icon name="warning" />
            <span>{problemOf(doing.error).message}</span>
          </p>
        )}
      </div>
      <div className="dialog-actions">
        <Button autoFocus isDisabled={doing.isPending} onPress={close}>
          Cancel
        </Button>
        <Button kind="danger" isBusy={doing.isPending} onPress={() => doing.mutate()}>
          {doing.isPending ? busy : confirm}
        </Button>
      </div>
    </>
  );
}
