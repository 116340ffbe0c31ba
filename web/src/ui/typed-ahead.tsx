import { useLayoutEffect } from 'react';

/** What was typed before the dialog was there that it is meant for. */
export interface TypedAhead {
  text: string;
  /** Whether Enter was pressed after it. */
  isEntered: boolean;
}

/** Nothing typed yet. */
export const noneAhead: Readonly<TypedAhead> = { text: '', isEntered: false };

/**
 * Whether a key belongs to an input method: it ends or cancels a composition. 229: the key that ends one, in browsers
 * that have ended it by then (UI Events, "keydown and keyup events during composition").
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/**
 * The key of an event; where it is of another script (not `µ`, of all), the Latin one that is at its place on most
 * keyboards.
 */
export function latinKey({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  return /^[\p{L}--[\p{Script=Latin}\p{Script=Common}]]$/v.test(key) && code.startsWith('Key')
    ? code.slice(3).toLowerCase()
    : key;
}

interface TypedAheadKeysProps {
  /** Gets what is typed; without it that is dropped, except in a field. */
  into: TypedAhead | undefined;
  onClose: () => void;
}

/**
 * Stands for a finder, or another overlay, whose code is being loaded: collects what is typed, which would run commands
 * of the page otherwise. A press elsewhere closes it.
 */
export function TypedAheadKeys({ into, onClose }: TypedAheadKeysProps) {
  useLayoutEffect(() => {
    const collect = (event: KeyboardEvent) => {
      const { key } = event;
      if (event.altKey || event.ctrlKey || event.metaKey || key === 'Tab') return;
      if (!into && (event.target as Element).matches('input, textarea')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (key === 'Escape') onClose();
      else if (!into) return;
      else if (key === 'Enter') into.isEntered = into.text.trim() !== '';
      else if (key === 'Backspace' || key.length === 1) {
        into.text = key.length === 1 ? into.text + key : into.text.slice(0, -1);
        into.isEntered = false;
      }
    };
    const gone = new AbortController();
    const { signal } = gone;
    addEventListener('keydown', collect, { capture: true, signal });
    addEventListener('pointerdown', onClose, { signal });
    return () => gone.abort();
  }, [into, onClose]);
  return null;
}
