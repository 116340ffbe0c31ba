import { Button, FieldError, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import { useFieldError } from './form-errors.tsx';
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

/** Selects one of a few options. */
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
      validationBehavior="aria"
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
