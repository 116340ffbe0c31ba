import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useReturnedFocus } from './returned-focus.ts';

interface OverlayProps {
  /** In its place and size; a dialog in the middle if omitted. */
  as?: 'dialog' | 'palette' | 'drawer';
  /** A heading, or a name that is not shown. */
  title?: string;
  label?: string;
  /** Asks before something is done. */
  asks?: boolean;
  /** Whether a press beside it closes it, which would lose what a form has. */
  isDismissable?: boolean;
  close: () => void;
  children: ReactNode;
}

const classes = {
  dialog: ['overlay', 'modal', 'dialog'],
  palette: ['overlay palette-overlay', 'modal palette', 'palette-dialog'],
  drawer: ['overlay drawer-overlay', 'drawer', 'drawer-content'],
} as const;

/** What is open over the page. Once it is closed, what opened it has the focus again, or the heading of the page. */
export function Overlay(props: OverlayProps) {
  const { as = 'dialog', title, label, asks = false, isDismissable = false, close, children } = props;
  const [overlay, modal, dialog] = classes[as];
  useReturnedFocus();
  return (
    <ModalOverlay className={overlay} isOpen onOpenChange={close} isDismissable={isDismissable}>
      <Modal className={modal}>
        <Dialog className={dialog} {...(asks && { role: 'alertdialog' })} {...(label && { 'aria-label': label })}>
          {title && <Heading slot="title">{title}</Heading>}
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
