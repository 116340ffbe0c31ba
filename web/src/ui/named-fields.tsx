import { TextField } from './fields.tsx';

interface NamedFieldsProps {
  name: string | undefined;
  maxName: number;
  /** The name of the emoji's field, and its value. */
  emojiField: string;
  emoji: string | null | undefined;
}

/** The fields for the name and the emoji of something, side by side. */
export function NamedFields({ name, maxName, emojiField, emoji }: NamedFieldsProps) {
  return (
    <div className="side-by-side">
      <TextField name="name" label="Name" defaultValue={name ?? ''} autoComplete="off" maxLength={maxName} />
      <TextField
        name={emojiField}
        label="Emoji"
        defaultValue={emoji ?? ''}
        autoComplete="off"
        maxLength={32}
        optional
      />
    </div>
  );
}
