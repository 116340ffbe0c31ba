import { useId } from 'react';
import { useFieldError } from './form-errors.tsx';

/** Selects a time zone. */
export function TimeZoneField({ name, label, defaultValue }: { name: string; label: string; defaultValue: string }) {
  const id = useId();
  const { message, isInvalid } = useFieldError(name);
  const zones = [...new Set(['UTC', defaultValue, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <div className="field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        className="input"
        defaultValue={defaultValue}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? `${id}-error` : undefined}
      >
        {zones.map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
