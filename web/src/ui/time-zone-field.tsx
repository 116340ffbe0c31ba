import { Button, ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useFieldError } from './form-errors.tsx';
import { Icon } from './icons.tsx';

function zonesWith(chosen: string): { id: string; label: string }[] {
  const names = new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')]);
  return [...names].map((id) => ({ id, label: id.replaceAll('_', ' ') }));
}

/** Selects a time zone, filtered while typing. */
export function TimeZoneField({ name, label, defaultValue }: { name: string; label: string; defaultValue: string }) {
  const { message, isInvalid } = useFieldError(name);
  return (
    <ComboBox
      validationBehavior="aria"
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
        <ListBox className="options" renderEmptyState={() => <p className="no-option">No matching time zone.</p>}>
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
