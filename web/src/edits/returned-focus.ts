import { useCallback, useEffect, useRef } from 'react';

/**
 * Gives the focus back once a dialog is closed. The dialog does so itself, to where the focus was when it opened. A key that
 * is pressed before the dialog before it has done so opens one while nothing has the focus: it then goes to where it was
 * before that. Returns what is called as a dialog opens.
 */
export function useReturnedFocus(isOpen: boolean): () => void {
  const from = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (isOpen || from.current === null) return;
    // The dialog gives the focus back in the next frame.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        if (document.activeElement === document.body) from.current?.focus({ preventScroll: true });
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [isOpen]);
  return useCallback(() => {
    if (document.activeElement instanceof HTMLElement && document.activeElement !== document.body)
      from.current = document.activeElement;
  }, []);
}
