import {
  Button,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
} from 'react-aria-components';
import { useFieldError } from './field-errors.ts';
import { Icon } from './icons.tsx';

interface SelectFieldProps {
  label: string;
  options: { id: string; label: string }[];
  name?: string;
  defaultValue?: string;
  value?: string;
  onChange?: (id: string) => void;
  hideLabel?: boolean;
  isDisabled?: boolean;
}

/** One of a few. */
export function SelectField({
  label,
  options,
  name,
  defaultValue,
  value,
  onChange,
  hideLabel,
  isDisabled,
}: SelectFieldProps) {
  const { message, isInvalid } = useFieldError(name);
  return (
    <Select
      className="field"
      {...(name !== undefined && { name })}
      {...(defaultValue !== undefined && { defaultValue })}
      {...(value !== undefined && { value })}
      {...(hideLabel && { 'aria-label': label })}
      isDisabled={isDisabled ?? false}
      isInvalid={isInvalid}
      onChange={(id) => id !== null && onChange?.(String(id))}
    >
      {!hideLabel && <Label>{label}</Label>}
      <Button className="input select-button">
        <SelectValue />
        <Icon name="down" />
      </Button>
      <FieldError className="field-error">{message}</FieldError>
      <Popover className="popover">
        <ListBox className="options" items={options}>
          {(option) => (
            <ListBoxItem className="option" id={option.id} textValue={option.label}>
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}

/** The time zone of this browser. */
export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

function zonesWith(chosen: string): { id: string; label: string }[] {
  const names = new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')]);
  return [...names].map((id) => ({ id, label: id.replaceAll('_', ' ') }));
}

/** A time zone out of all there are, found by typing. */
export function TimeZoneField({ name, label, defaultValue }: { name: string; label: string; defaultValue: string }) {
  const { message, isInvalid } = useFieldError(name);
  return (
    <ComboBox
      className="field"
      name={name}
      formValue="key"
      isRequired
      isInvalid={isInvalid}
      menuTrigger="focus"
      defaultItems={zonesWith(defaultValue)}
      defaultValue={defaultValue}
    >
      <Label>{label}</Label>
      <div className="input-with-button">
        <Input className="input" autoComplete="off" spellCheck="false" />
        <Button className="input-button">
          <Icon name="down" />
        </Button>
      </div>
      <FieldError className="field-error">{message}</FieldError>
      <Popover className="popover">
        <ListBox className="options" renderEmptyState={() => <p className="no-option">No time zone of this name.</p>}>
          {(zone: { id: string; label: string }) => (
            <ListBoxItem className="option" id={zone.id} textValue={zone.label}>
              {zone.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
