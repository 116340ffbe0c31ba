import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Offer } from './completion.ts';

interface OffersProps {
  control: RefObject<HTMLInputElement | HTMLTextAreaElement | null>;
  onChange: (value: string) => void;
  /** What is offered for the text before the caret. */
  find: (text: string, caret: number) => readonly Offer[];
  /** Creates what a chosen offer names. */
  onCreate?: ((name: string) => void) | undefined;
}

/** The names that are offered while a text is typed, and the keys that choose one. */
export function useOffers({ control, onChange, find, onCreate }: OffersProps) {
  const id = useId();
  const [typed, setTyped] = useState<{ text: string; caret: number } | null>(null);
  const [moved, setActive] = useState<number | null>(null);
  // Found anew when the names arrive, which may be after the text.
  const offers = typed ? find(typed.text, typed.caret) : [];
  const isOpen = offers.length > 0;
  const active = moved ?? (offers[0]?.creates === undefined ? 0 : -1);
  const close = () => setTyped(null);
  const choose = ({ start, insert, creates }: Offer) => {
    if (creates !== undefined) onCreate?.(creates);
    const value = control.current?.value ?? '';
    const caret = control.current?.selectionStart ?? value.length;
    // At once, so that the caret is in its place before the next key.
    flushSync(() => {
      onChange(value.slice(0, start) + insert + value.slice(caret).replace(/^[ \t]+/, ''));
      close();
    });
    const end = start + insert.length;
    control.current?.setSelectionRange(end, end);
  };
  return {
    close,
    /** After the text was changed. */
    offer: (text: string) => {
      setTyped({ text, caret: control.current?.selectionStart ?? text.length });
      setActive(null);
    },
    /** Returns whether the key was one of the open list. */
    press: ({ key }: KeyboardEvent): boolean => {
      if (!isOpen) return false;
      const chosen = offers[active];
      if (chosen && (key === 'Enter' || key === 'Tab')) choose(chosen);
      else if (key === 'Escape') close();
      else if (key === 'ArrowDown') setActive((active + 1) % offers.length);
      else if (key === 'ArrowUp') setActive((Math.max(active, 0) + offers.length - 1) % offers.length);
      else return false;
      return true;
    },
    isOpen,
    attributes: {
      'aria-autocomplete': 'list' as const,
      'aria-controls': isOpen ? id : undefined,
      'aria-activedescendant': isOpen && active >= 0 ? `${id}-${active}` : undefined,
    },
    /* Only while it is open: keys start no command while there is a listbox. */
    list: isOpen && (
      <div id={id} role="listbox" aria-label="Names" className="quick-offers">
        {offers.map((each, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the text chooses it
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
    ),
  };
}
