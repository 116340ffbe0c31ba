import { useLayoutEffect, useState } from 'react';

/** Where the focus goes while it is not there yet: a dialog that opens meanwhile gives it back to the same element. */
let expected: HTMLElement | null = null;
/** Ends what the last return still does. */
let end = () => {};

/** Where the focus goes after one of these is up to what it does. */
const deeds = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

const isLost = () => document.activeElement === null || document.activeElement === document.body;

/** After what other code does in the next frame: what is closed gives the focus back itself then. */
function afterNextFrame(act: () => void): void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(act);
  });
  end = () => cancelAnimationFrame(frame);
}

function giveTo(wanted: HTMLElement | null): void {
  // The page is inert until the effects of closing have run.
  if (isLost() && wanted?.isConnected && wanted.closest('[inert]') !== null) {
    afterNextFrame(() => giveTo(wanted));
    return;
  }
  const places = [wanted, document.querySelector<HTMLElement>('h1'), document.getElementById('content')];
  for (const place of places) if (isLost()) place?.focus({ preventScroll: place === wanted });
  expected = null;
  if (wanted !== null && document.activeElement === wanted) watch(wanted);
}

/** Waits whether the element goes while it has the focus, until a person does something. */
function watch(wanted: HTMLElement): void {
  const observer = new MutationObserver(() => {
    if (!isLost()) return;
    end();
    afterNextFrame(() => giveTo(wanted));
  });
  const done = () => end();
  const moved = ({ target }: FocusEvent) => target !== wanted && end();
  end = () => {
    observer.disconnect();
    document.removeEventListener('focusin', moved);
    for (const deed of deeds) document.removeEventListener(deed, done, true);
  };
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('focusin', moved);
  for (const deed of deeds) document.addEventListener(deed, done, true);
}

/**
 * Gives the focus back to `wanted` after an overlay is closed. If `wanted` is gone, or is removed afterwards with its
 * row, the heading of the page gets it. An element that has got the focus meanwhile keeps it.
 */
export function returnFocus(wanted: HTMLElement | null): void {
  end();
  expected = wanted;
  afterNextFrame(() => giveTo(wanted));
}

/** In what is open over the page: gives the focus back, when it is closed, to what had it when it was opened. */
export function useReturnedFocus(): void {
  const [opener] = useState(() =>
    !isLost() && document.activeElement instanceof HTMLElement ? document.activeElement : expected,
  );
  useLayoutEffect(() => {
    end();
    // It was in a dialog whose place this one took.
    const wanted = opener?.isConnected === false ? expected : opener;
    return () => returnFocus(wanted);
  }, [opener]);
}
