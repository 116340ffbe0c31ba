import { useEffect, useRef } from 'react';
import { useAwaitedFocus } from '../ui/awaited-focus.ts';
import { keyOf } from './steps.ts';

/** A card with the focus. */
interface Focused {
  todoId: string;
  columnId: string;
}

/** Focuses a card once it is in the document, and keeps the focus on the board when its card leaves it. */
export function useCardFocus(board: { readonly current: HTMLElement | null }) {
  const held = useRef<Focused | null>(null);
  const find = (selector: string) => board.current?.querySelector<HTMLElement>(selector);
  const { focus, isAwaited } = useAwaitedFocus((key) => find(`[data-card="${key}"]`));
  useEffect(() => {
    // Chromium fires no blur when the element in focus is removed.
    if (isAwaited() || held.current === null || document.activeElement !== document.body) return;
    const { todoId, columnId } = held.current;
    (find(`a[data-id="${todoId}"]`) ?? find(`[data-column="${columnId}"] a`))?.focus();
  });
  /** Focuses a card in the column that it is moved to, which is read once it is near what is visible. */
  const follow = (columnId: string, todoId: string) => {
    find(`[data-column="${columnId}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    focus(keyOf(columnId, todoId));
  };
  return { held, focus, follow };
}
