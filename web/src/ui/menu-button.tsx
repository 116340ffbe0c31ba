import { type ReactNode, useRef, useState } from 'react';
import { lazyOverlay } from './lazy-overlay.tsx';
import type { MenuContent } from './menu-popover.tsx';

const MenuPopover = lazyOverlay(() => import('./menu-popover.tsx').then(({ MenuPopover }) => MenuPopover));

interface MenuButtonProps extends MenuContent {
  className: string;
  children: ReactNode;
  onOpen?: () => void;
  /** Of the button; -1 where another key leads to it. */
  tabIndex?: 0 | -1;
}

/** A button that opens a menu. The code of menus is loaded when the first one is opened. */
export function MenuButton({ label, className, children, onOpen, tabIndex, ...menu }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    onOpen?.();
    setOpen(true);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        tabIndex={tabIndex}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={open}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          open();
        }}
      >
        {children}
      </button>
      {isOpen && <MenuPopover {...menu} label={label} triggerRef={button} close={() => setOpen(false)} />}
    </>
  );
}
