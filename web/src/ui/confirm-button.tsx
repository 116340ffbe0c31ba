import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button as AriaButton, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { problemOf } from '../api/problem.ts';
import { Button, buttonClass } from './button.tsx';
import { Icon } from './icons.tsx';
import { focusPageTitle } from './page.tsx';

interface ConfirmButtonProps {
  /** Text of the button, and its subject for screen readers. */
  label: string;
  about?: string;
  title: string;
  /** Description of the consequences. */
  children: ReactNode;
  confirm: string;
  busy: string;
  onConfirm: () => Promise<unknown>;
}

/** A button for irreversible actions: opens a confirmation dialog, which shows the error if the action fails. */
export function ConfirmButton({ label, about, ...asked }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <AriaButton
        className={buttonClass({ kind: 'danger-quiet' })}
        {...(about && { 'aria-label': `${label}: ${about}` })}
      >
        {label}
      </AriaButton>
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
      // The row with the button may be gone: check where the focus is after the dialog has restored it.
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
