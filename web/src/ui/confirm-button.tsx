import { useState } from 'react';
import { Button } from './button.tsx';
import type { Asked } from './confirm-dialog.tsx';
import { ConfirmDialog } from './lazy-overlay.tsx';

interface ConfirmButtonProps extends Asked {
  /** Text of the button, and its subject for screen readers. */
  label: string;
  about?: string;
}

/**
 * A button for irreversible actions: opens a confirmation dialog, which shows the error if the action fails. The code
 * of dialogs is loaded when the first one is opened.
 */
export function ConfirmButton({ label, about, ...asked }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        kind="danger-quiet"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...(about && { 'aria-label': `${label}: ${about}` })}
        onPress={() => setOpen(true)}
      >
        {label}
      </Button>
      {isOpen && <ConfirmDialog {...asked} close={() => setOpen(false)} />}
    </>
  );
}
