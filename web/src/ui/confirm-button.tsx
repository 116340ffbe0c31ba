import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { problemOf } from '../api/client.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { focusPageTitle } from './page-title.tsx';

interface ConfirmButtonProps {
  /** On the button in the page, and what it is about for screen readers. */
  label: string;
  about?: string;
  title: string;
  /** What will follow. */
  children: ReactNode;
  confirm: string;
  busy: string;
  onConfirm: () => Promise<unknown>;
}

/** A button for what cannot be undone: asks first, and stays open with the reason when it fails. */
export function ConfirmButton({ label, about, ...asked }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button kind="danger-quiet" {...(about && { 'aria-label': `${label}: ${about}` })}>
        {label}
      </Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal">
          <Dialog role="alertdialog" className="dialog">
            <Question {...asked} close={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}

interface QuestionProps extends Omit<ConfirmButtonProps, 'label' | 'about'> {
  close: () => void;
}

function Question({ title, children, confirm, busy, onConfirm, close }: QuestionProps) {
  const doing = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      close();
      // The row with the button may be gone: wait for the dialog to give the focus back, then look where it landed.
      setTimeout(() => document.activeElement === document.body && focusPageTitle(), 100);
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
