import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { useFieldError } from '../ui/form-errors.tsx';
import { type Offer, offersAt } from './completion.ts';
import type { Assignable, Named, Token } from './parse.ts';

interface LineFieldProps {
  value: string;
  tokens: readonly Token[];
  lists: readonly Named[];
  people: readonly Assignable[];
  onChange: (value: string) => void;
  /** Turns a token back to text. */
  onText: (token: Token) => void;
  /** Several lines were pasted. */
  onLines: (lines: string) => void;
  /** ⌘Enter or Ctrl+Enter. */
  onOpen: () => void;
}

/** The line that is typed, a combobox with the names that `!`, `#`, `@` and `/` offer. */
export function LineField({ value, tokens, lists, people, onChange, onText, onLines, onOpen }: LineFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [offers, setOffers] = useState<readonly Offer[]>([]);
  const [active, setActive] = useState(0);
  const { message, isInvalid } = useFieldError('title');
  const offer = (text: string) => {
    setOffers(offersAt(text, input.current?.selectionStart ?? text.length, lists, people));
    setActive(0);
  };
  const choose = ({ start, insert }: Offer) => {
    const caret = input.current?.selectionStart ?? value.length;
    onChange(value.slice(0, start) + insert + value.slice(caret).trimStart());
    setOffers([]);
    const end = start + insert.length;
    requestAnimationFrame(() => input.current?.setSelectionRange(end, end));
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const chosen = offers[active];
    const { key } = event;
    if (key === 'Enter' && (event.metaKey || event.ctrlKey)) onOpen();
    else if (chosen && (key === 'Enter' || key === 'Tab')) choose(chosen);
    else if (chosen && key === 'Escape') setOffers([]);
    else if (chosen && key === 'ArrowDown') setActive((active + 1) % offers.length);
    else if (chosen && key === 'ArrowUp') setActive((active + offers.length - 1) % offers.length);
    else if (key === 'Backspace') {
      const { selectionStart, selectionEnd } = event.currentTarget;
      const token = tokens.find(({ end }) => end === selectionStart);
      if (!token || selectionStart !== selectionEnd) return;
      onText(token);
    } else return;
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
  const isOpen = offers.length > 0;
  return (
    <div className="field quick-field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id}>Title</label>
      <span className="hint" id={`${id}-hint`}>
        Such as: call the bank tomorrow 9am !urgent @me
      </span>
      <input
        ref={input}
        id={id}
        name="title"
        className="input"
        role="combobox"
        autoComplete="off"
        maxLength={600}
        value={value}
        aria-required
        aria-invalid={isInvalid || undefined}
        aria-expanded={isOpen}
        aria-autocomplete="list"
        aria-controls={isOpen ? `${id}-offers` : undefined}
        aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
        aria-describedby={isInvalid ? `${id}-error` : `${id}-hint`}
        onChange={(event) => {
          onChange(event.target.value);
          offer(event.target.value);
        }}
        onBlur={() => setOffers([])}
        onKeyDown={press}
        onPaste={paste}
      />
      {/* Only while it is open: keys start no command while there is a listbox. */}
      {isOpen && (
        <div id={`${id}-offers`} role="listbox" aria-label="Names" className="quick-offers">
          {offers.map((each, place) => (
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the input chooses it
            <div
              key={each.id}
              id={`${id}-${place}`}
              role="option"
              aria-selected={place === active}
              className="option"
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(each)}
            >
              <span>{each.label}</span>
              <span className="muted small">{each.note}</span>
            </div>
          ))}
        </div>
      )}
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
