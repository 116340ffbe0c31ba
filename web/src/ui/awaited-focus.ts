import { useCallback, useEffect, useReducer, useRef } from 'react';

/**
 * A function that focuses an element of a list, at once or as soon as it is rendered.
 * `find`: the element with a key, if it is in the document. `isAwaited` says whether one still is to come.
 */
export function useAwaitedFocus(find: (key: string) => HTMLElement | null | undefined, options?: FocusOptions) {
  const awaited = useRef<string | null>(null);
  // To focus what is rendered already may change nothing else.
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (awaited.current === null) return;
    const element = find(awaited.current);
    if (!element) return;
    awaited.current = null;
    element.focus(options);
  });
  const focus = useCallback((key: string) => {
    awaited.current = key;
    render();
  }, []);
  return { focus, isAwaited: () => awaited.current !== null };
}
