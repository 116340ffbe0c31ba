import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemOf } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { Overlay } from './overlay.tsx';

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
export function ConfirmDialog({ title, children, confirm, busy, onConfirm, close }: ConfirmDialogProps) {
  const doing = useMutation({ mutationFn: onConfirm });
  // Not where it was closed before: another one may be open by then.
  const confirmed = () => doing.mutate(undefined, { onSuccess: close });
  return (
    <Overlay title={title} asks isDismissable close={close}>
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
        <Button autoFocus isBusy={doing.isPending} onPress={close}>
          Cancel
        </Button>
        <Button kind="danger" isBusy={doing.isPending} onPress={confirmed}>
          {doing.isPending ? busy : confirm}
        </Button>
      </div>
    </Overlay>
  );
}
