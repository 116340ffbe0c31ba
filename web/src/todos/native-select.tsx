import { Icon } from '../ui/icons.tsx';

interface NativeSelectProps {
  /** For assistive technology; the options say by themselves what they are. */
  label: string;
  value: string;
  options: readonly { id: string; label: string }[];
  /** Whether it narrows what is shown, which is then marked. */
  isSet?: boolean;
  onChange: (id: string) => void;
}

/** A select of the browser: it needs no code, and on a phone it is the one that people know. */
export function NativeSelect({ label, value, options, isSet = false, onChange }: NativeSelectProps) {
  return (
    <span className={isSet ? 'native-select set' : 'native-select'}>
      <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(({ id, label: text }) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}
