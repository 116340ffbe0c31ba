import { type RefObject, useEffect } from 'react';

/** A bar of the browser that comes and goes is no keyboard, in pixels. */
const minKeyboard = 80;

/**
 * Keeps what sticks to the bottom of the window above the keyboard of a phone, which covers a part of the window
 * without making it smaller.
 */
export function useAboveKeyboard(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (!seen) return;
    const follow = () => {
      const covered = window.innerHeight - seen.height - seen.offsetTop;
      // Zoomed in, only a part of the window is seen anyway.
      const isKeyboard = seen.scale === 1 && covered >= minKeyboard;
      element.current?.style.setProperty('bottom', isKeyboard ? `${Math.round(covered)}px` : null);
    };
    follow();
    for (const event of ['resize', 'scroll']) seen.addEventListener(event, follow);
    return () => {
      for (const event of ['resize', 'scroll']) seen.removeEventListener(event, follow);
    };
  }, [element]);
}
