import { type HTMLInputAutoCompleteAttribute, type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
import { useFieldError } from './form-errors.tsx';
import { Icon } from './icons.tsx';

interface FieldProps {
  name: string;
  label: string;
  hint?: ReactNode;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  defaultValue?: string;
  optional?: boolean;
}

interface TextFieldProps extends FieldProps {
  type?: 'text' | 'email' | 'url';
  inputMode?: 'numeric';
  maxLength?: number;
  isReadOnly?: boolean;
}

interface ControlProps extends Omit<FieldProps, 'defaultValue'> {
  /** What the browser gets, such as the type of the input. */
  input: InputHTMLAttributes<HTMLInputElement>;
  /** Inside the box, after the input. */
  button?: ReactNode;
}

/** A native input with its label, hint and error, which assistive technology reads with it. */
function Control({ name, label, hint, autoComplete, optional = false, input, button }: ControlProps) {
  const id = useId();
  const { message, isInvalid } = useFieldError(name);
  const described = [hint && `${id}-hint`, isInvalid && `${id}-error`].filter(Boolean).join(' ');
  const control = (
    <input
      {...input}
      id={id}
      name={name}
      className="input"
      autoComplete={autoComplete}
      aria-required={!optional}
      aria-invalid={isInvalid || undefined}
      aria-describedby={described || undefined}
    />
  );
  return (
    <div className="field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>
        {label}
        {optional && <span className="optional"> (optional)</span>}
      </label>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {button ? (
        <div className="input-with-button">
          {control}
          {button}
        </div>
      ) : (
        control
      )}
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}

/** A label with the control that it names, which gets its id. */
export function Labelled({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}

/** A single-line text field. */
export function TextField({ type = 'text', inputMode, maxLength, isReadOnly, defaultValue, ...field }: TextFieldProps) {
  const isPlain = type === 'text' && !inputMode;
  return (
    <Control
      autoComplete="off"
      {...field}
      input={{
        type,
        defaultValue,
        maxLength,
        readOnly: isReadOnly,
        inputMode: inputMode ?? type,
        spellCheck: isPlain,
        ...(type !== 'text' && { autoCapitalize: 'none' }),
      }}
    />
  );
}

interface PasswordFieldProps extends FieldProps {
  onChange?: (typed: string) => void;
}

/** A password field with a toggle to show it. */
export function PasswordField({ onChange, defaultValue, ...field }: PasswordFieldProps) {
  const [shown, setShown] = useState(false);
  return (
    <Control
      {...field}
      input={{
        type: shown ? 'text' : 'password',
        defaultValue,
        spellCheck: false,
        autoCapitalize: 'none',
        autoCorrect: 'off',
        onChange: (event) => onChange?.(event.target.value),
      }}
      button={
        <button
          type="button"
          className="input-button"
          aria-label="Show password"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'eye-off' : 'eye'} />
        </button>
      }
    />
  );
}
