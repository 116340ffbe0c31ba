import { type ClipboardEvent, type KeyboardEvent, useId, useRef } from 'react';
import { useFieldError } from '../ui/form-errors.tsx';
import { isComposing } from '../ui/typed-ahead.tsx';
import { type Names, offersAt } from './completion.ts';
import { useOffers } from './offers.tsx';
import type { Token } from './parse.ts';

interface LineFieldProps {
  label: string;
  value: string;
  /** What may be typed. */
  example?: string | undefined;
  tokens: readonly Token[];
  names: Names;
  onChange: (value: string) => void;
  /** Turns a token back to text. */
  onText: (token: Token) => void;
  /** Several lines were pasted. */
  onLines: (lines: string) => void;
  /** ⌘Enter or Ctrl+Enter. */
  onOpen: () => void;
  /** Creates a label of this name. */
  onLabel: (name: string) => void;
}

/** The line that is typed, a combobox with the names that `!`, `#`, `*`, `@` and `/` offer. */
export function LineField({ label, value, example, tokens, names, onChange, onText, ...on }: LineFieldProps) {
  const { onLines, onOpen, onLabel } = on;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { message, isInvalid } = useFieldError('title');
  const find = (text: string, caret: number) => offersAt(text, caret, names);
  const { offer, press, close, isOpen, attributes, list } = useOffers({
    control: input,
    onChange,
    find,
    onCreate: onLabel,
  });
  const pressKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event.nativeEvent)) return;
    const { key } = event;
    if (key === 'Enter' && (event.metaKey || event.ctrlKey)) onOpen();
    else if (key === 'Backspace') {
      const { selectionStart, selectionEnd } = event.currentTarget;
      const token = tokens.find(({ end }) => end === selectionStart);
      if (!token || selectionStart !== selectionEnd) return;
      onText(token);
    } else if (!press(event)) return;
    event.preventDefault();
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain');
    if (
      text
        .trim()
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '').length < 2
    )
      return;
    event.preventDefault();
    onLines(text);
  };
  return (
    <div className="field quick-field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <input
        {...attributes}
        ref={input}
        id={id}
        name="title"
        className="input"
        role="combobox"
        autoComplete="off"
        placeholder={example ?? 'Such as: call the bank tomorrow 9am !urgent @me'}
        maxLength={600}
        value={value}
        aria-required
        aria-invalid={isInvalid || undefined}
        aria-expanded={isOpen}
        aria-describedby={isInvalid ? `${id}-error` : undefined}
        onChange={(event) => {
          onChange(event.target.value);
          offer(event.target.value);
        }}
        onBlur={close}
        onKeyDown={pressKey}
        onPaste={paste}
      />
      {list}
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
