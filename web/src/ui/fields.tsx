import { type HTMLInputAutoCompleteAttribute, type ReactNode, useState } from 'react';
import { TextField as AriaTextField, FieldError, Input, Label, Text, ToggleButton } from 'react-aria-components';
import { useFieldError } from './field-errors.ts';
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
  type?: 'text' | 'email';
  maxLength?: number;
}

function FieldLabel({ label, optional = false }: { label: string; optional?: boolean | undefined }) {
  return (
    <Label>
      {label}
      {optional && <span className="optional"> (optional)</span>}
    </Label>
  );
}

/** A line of text. */
export function TextField({
  label,
  hint,
  optional = false,
  type = 'text',
  autoComplete = 'off',
  ...props
}: TextFieldProps) {
  const email = type === 'email';
  const { message, isInvalid } = useFieldError(props.name);
  return (
    <AriaTextField
      className="field"
      type={type}
      isRequired={!optional}
      autoComplete={autoComplete}
      inputMode={email ? 'email' : 'text'}
      spellCheck={email ? 'false' : 'true'}
      isInvalid={isInvalid}
      {...props}
    >
      <FieldLabel label={label} optional={optional} />
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <Input className="input" {...(email && { autoCapitalize: 'none' })} />
      <FieldError className="field-error">{message}</FieldError>
    </AriaTextField>
  );
}

/** A password, which can be looked at. */
export function PasswordField({ label, hint, ...props }: FieldProps) {
  const [shown, setShown] = useState(false);
  const { message, isInvalid } = useFieldError(props.name);
  return (
    <AriaTextField
      className="field"
      type={shown ? 'text' : 'password'}
      isRequired
      isInvalid={isInvalid}
      spellCheck="false"
      {...props}
    >
      <Label>{label}</Label>
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <div className="input-with-button">
        <Input className="input" autoCapitalize="none" autoCorrect="off" />
        <ToggleButton className="input-button" aria-label="Show password" isSelected={shown} onChange={setShown}>
          <Icon name={shown ? 'eye-off' : 'eye'} />
        </ToggleButton>
      </div>
      <FieldError className="field-error">{message}</FieldError>
    </AriaTextField>
  );
}
