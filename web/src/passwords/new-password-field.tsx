import { useState } from 'react';
import { PasswordField } from '../ui/fields.tsx';
import { StrengthMeter } from './strength-meter.tsx';

const hint = 'At least 12 characters. A few unrelated words work well.';

interface NewPasswordFieldProps {
  name: string;
  label: string;
  known?: readonly string[];
}

/** The field of a password to set, with its strength. */
export function NewPasswordField({ name, label, known = [] }: NewPasswordFieldProps) {
  const [typed, setTyped] = useState('');
  return (
    <div className="field">
      <PasswordField name={name} label={label} autoComplete="new-password" hint={hint} onChange={setTyped} />
      <StrengthMeter password={typed} known={known} />
    </div>
  );
}
