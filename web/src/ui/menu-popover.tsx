import type { ReactNode, RefObject } from 'react';
import { Header, Menu, MenuItem, MenuSection, Popover } from 'react-aria-components';
import { flushSync } from 'react-dom';
import { Icon } from './icons.tsx';
import { returnFocus, useReturnedFocus } from './returned-focus.ts';

/** An entry of a menu. */
export interface MenuEntry {
  id: string;
  label: string;
  isChecked?: boolean;
}

/** What a menu offers. */
export interface MenuContent {
  label: string;
  /** Above the first entries. */
  heading: ReactNode;
  /** A group of which one is checked, or several of those with `isMultiple`. */
  choices?: MenuEntry[];
  isMultiple?: boolean;
  entries: MenuEntry[];
  onChoose: (id: string) => void;
}

interface MenuPopoverProps extends MenuContent {
  triggerRef: RefObject<HTMLButtonElement | null>;
  close: () => void;
}

/** The open menu of a `MenuButton`. */
export function MenuPopover(props: MenuPopoverProps) {
  const { label, heading, choices, isMultiple = false, entries, triggerRef, onChoose, close } = props;
  // What has the menu may go while it is open: a card that others move.
  useReturnedFocus();
  const choose = (id: string) => {
    const isGroup = isMultiple && choices?.some((choice) => choice.id === id);
    if (!isGroup) {
      // What the entry opens gives the focus back to what has it then, which must not be an entry that is gone.
      flushSync(close);
      triggerRef.current?.focus();
      returnFocus(triggerRef.current);
    }
    onChoose(id);
  };
  const checked = choices?.filter(({ isChecked }) => isChecked).map(({ id }) => id);
  return (
    <Popover
      aria-label={label}
      className="popover"
      trigger="MenuTrigger"
      triggerRef={triggerRef}
      isOpen
      onOpenChange={close}
      placement="bottom start"
    >
      <Menu
        className="options"
        aria-label={label}
        autoFocus="first"
        onClose={close}
        onAction={(id) => choose(String(id))}
      >
        <MenuSection
          {...(checked && {
            selectionMode: isMultiple ? 'multiple' : 'single',
            disallowEmptySelection: !isMultiple,
            selectedKeys: checked,
          })}
        >
          <Header className="option-header">{heading}</Header>
          {(choices ?? entries).map(({ id, label: text, isChecked }) => (
            <MenuItem key={id} id={id} className="option" textValue={text}>
              <span>{text}</span>
              {isChecked && <Icon name="check" />}
            </MenuItem>
          ))}
        </MenuSection>
        {choices &&
          entries.map(({ id, label: text }) => (
            <MenuItem key={id} id={id} className="option separated">
              {text}
            </MenuItem>
          ))}
      </Menu>
    </Popover>
  );
}
