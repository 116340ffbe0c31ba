import { useCallback, useEffect, useReducer, useRef } from 'react';

/** An element that is to get the focus. `hasActed`: the person has done something since. */
interface Awaited {
  key: string;
  hasActed: boolean;
}

/**
 * A function that focuses an element of a list, at once or as soon as it is rendered, unless the person has moved the
 * focus elsewhere by then. (A dialog that closes and gives the focus back is no such move.) `find` returns the element
 * with a key, if it is in the document. `isAwaited` returns whether one is still to come.
 */
export function useAwaitedFocus(find: (key: string) => HTMLElement | null | undefined, options?: FocusOptions) {
  const awaited = useRef<Awaited | null>(null);
  // To focus what is rendered already may change nothing else.
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const act = () => {
      if (awaited.current) awaited.current.hasActed = true;
    };
    const leave = () => {
      if (awaited.current?.hasActed) awaited.current = null;
    };
    const listeners = { keydown: act, pointerdown: act, focusin: leave };
    for (const [type, listener] of Object.entries(listeners)) document.addEventListener(type, listener, true);
    return () => {
      for (const [type, listener] of Object.entries(listeners)) document.removeEventListener(type, listener, true);
    };
  }, []);
  useEffect(() => {
    if (awaited.current === null) return;
    const element = find(awaited.current.key);
    if (!element) return;
    awaited.current = null;
    element.focus(options);
  });
  const focus = useCallback((key: string) => {
    awaited.current = { key, hasActed: false };
    render();
  }, []);
  return { focus, isAwaited: () => awaited.current !== null };
}
