import { type ReactNode, useId } from 'react';
import { useFieldError } from '../ui/form-errors.tsx';
import { type ScheduleValues, weekdays } from './request.ts';

interface FieldProps {
  /** As the service names it in an error, such as `schedule.at`. */
  name: string;
  label: string;
  hint?: string;
  children: (attributes: FieldAttributes) => ReactNode;
}

interface FieldAttributes {
  id: string;
  name: string;
  className: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

/** A control with its label, hint and error, which assistive technology reads with it. */
export function Field({ name, label, hint, children }: FieldProps) {
  const id = useId();
  const { message, isInvalid } = useFieldError(name);
  const described = [hint !== undefined && `${id}-hint`, isInvalid && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {children({
        id,
        name,
        className: 'input',
        'aria-invalid': isInvalid || undefined,
        'aria-describedby': described || undefined,
      })}
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}

interface TypedFieldProps extends Omit<FieldProps, 'children'> {
  type: 'text' | 'number' | 'time' | 'date' | 'datetime-local';
  value: string;
  onChange: (value: string) => void;
  max?: number;
}

/** A field that is typed. */
export function TypedField({ type, value, onChange, max, ...field }: TypedFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <input
          {...attributes}
          type={type}
          value={value}
          autoComplete="off"
          spellCheck={false}
          {...(type === 'number' && { min: 1, max })}
          {...(type === 'text' && { maxLength: max })}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface ChoiceFieldProps extends Omit<FieldProps, 'children'> {
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

/** A field that is chosen from a list. */
export function ChoiceField({ value, options, onChange, ...field }: ChoiceFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const dayNames = { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' };

interface DaysFieldProps {
  value: ScheduleValues['on'];
  onChange: (value: ScheduleValues['on']) => void;
}

/** The days of a week, of which none means any. */
export function DaysField({ value, onChange }: DaysFieldProps) {
  return (
    <fieldset className="schedule-days">
      <legend>Only on</legend>
      {weekdays.map((day) => (
        <label key={day}>
          <input
            type="checkbox"
            checked={value.includes(day)}
            onChange={() => onChange(value.includes(day) ? value.filter((each) => each !== day) : [...value, day])}
          />{' '}
          {dayNames[day]}
        </label>
      ))}
    </fieldset>
  );
}
