import { type ReactNode, startTransition, useCallback, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { type NavigateOptions, Router, useNavigate } from 'react-router';
import { navigator, shownLocation, watchHistory } from './history.ts';
import { loadPage, startPage } from './start.ts';

/** Shows the page of the address. The old page stays until the code of the next one is loaded. */
export function Navigation({ children }: { children: ReactNode }) {
  const [location, setLocation] = useState(shownLocation);
  useLayoutEffect(
    () =>
      watchHistory((move) => {
        startPage(move.location.pathname);
        if (move.flushSync) flushSync(() => setLocation(move.location));
        else startTransition(() => setLocation(move.location));
      }),
    [],
  );
  return (
    <Router location={location} navigator={navigator} useTransitions={false}>
      {children}
    </Router>
  );
}

/**
 * A function that loads a page and then shows it at once, so that a form is busy until the next page is there and no
 * state between the two is rendered, such as a page without the token of its link.
 */
export function useGo() {
  const navigate = useNavigate();
  return useCallback(
    async (to: string, options: NavigateOptions = {}) => {
      // What cannot be loaded is shown in place of the page.
      await loadPage(new URL(to, location.origin).pathname).catch(() => {});
      await navigate(to, { ...options, flushSync: true });
    },
    [navigate],
  );
}
