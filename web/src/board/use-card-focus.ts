import { useEffect, useRef } from 'react';

/** A card with the focus. */
interface Focused {
  todoId: string;
  columnId: string;
}

/** Focuses a card once it is in the document, and keeps the focus on the board when its card leaves it. */
export function useCardFocus(board: { readonly current: HTMLElement | null }) {
  const wanted = useRef<string | null>(null);
  const held = useRef<Focused | null>(null);
  useEffect(() => {
    const find = (selector: string) => board.current?.querySelector<HTMLElement>(selector);
    if (wanted.current !== null) {
      const card = find(`[data-card="${wanted.current}"]`);
      if (card) wanted.current = null;
      return card?.focus();
    }
    // Chromium fires no blur when the element in focus is removed.
    if (held.current === null || document.activeElement !== document.body) return;
    const { todoId, columnId } = held.current;
    (find(`a[data-id="${todoId}"]`) ?? find(`[data-column="${columnId}"] a`))?.focus();
  });
  return {
    held,
    focus: (key: string) => {
      wanted.current = key;
    },
  };
}
