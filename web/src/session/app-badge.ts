import { useEffect } from 'react';

let shown: number | undefined;

/**
 * Shows how much waits for the person on the icon of the installed application; 0 removes the number, as for a person
 * who is not signed in any more. Does nothing where the system shows none.
 */
export function showBadge(count: number): void {
  if (count === shown || !('setAppBadge' in navigator)) return;
  shown = count;
  const showing = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count);
  showing.catch(() => {
    // Not allowed, or the application is not installed.
    shown = undefined;
  });
}

/** Shows a number on the icon once it is known. */
export function useBadge(count: number, isKnown: boolean): void {
  useEffect(() => {
    if (isKnown) showBadge(count);
  }, [count, isKnown]);
}
