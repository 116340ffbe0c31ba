import type { ReactNode, RefObject } from 'react';
import { Header, Menu, MenuItem, MenuSection, Popover } from 'react-aria-components';
import { Icon } from './icons.tsx';

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
  onClose: () => void;
}

/** The open menu of a `MenuButton`. */
export function MenuPopover(props: MenuPopoverProps) {
  const { label, heading, choices, isMultiple = false, entries, triggerRef, onChoose, onClose } = props;
  const checked = choices?.filter(({ isChecked }) => isChecked).map(({ id }) => id);
  return (
    <Popover
      aria-label={label}
      className="popover"
      trigger="MenuTrigger"
      triggerRef={triggerRef}
      isOpen
      onOpenChange={onClose}
      placement="bottom start"
    >
      <Menu
        className="options"
        aria-label={label}
        autoFocus="first"
        onClose={onClose}
        onAction={(id) => onChoose(String(id))}
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
