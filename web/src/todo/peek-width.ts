import { useLayoutEffect, useState } from 'react';

/* The width of the panel with a todo beside a list, in pixels, remembered in this browser. */

const key = 'tandem.peekWidth';
export const minWidth = 440;
export const maxWidth = 720;
const usualWidth = 520;
const step = 16;

function within(width: number): number {
  return Math.round(Math.max(minWidth, Math.min(maxWidth, width)));
}

function stored(): number {
  try {
    return within(Number(localStorage.getItem(key) ?? usualWidth) || usualWidth);
  } catch {
    return usualWidth;
  }
}

/** The width, which styles read from `--peek`, and how to change it. */
export function usePeekWidth() {
  const [width, setWidth] = useState(stored);
  useLayoutEffect(() => {
    document.documentElement.style.setProperty('--peek', `${width}px`);
  }, [width]);
  const resize = (wanted: number) => {
    const next = within(wanted);
    setWidth(next);
    try {
      localStorage.setItem(key, String(next));
    } catch {
      // Storage is disabled: the width lasts until the page is left.
    }
  };
  const byKey: Record<string, number> = {
    ArrowLeft: width + step,
    ArrowRight: width - step,
    Home: minWidth,
    End: maxWidth,
  };
  return {
    width,
    resize,
    /** Returns whether the key moves the edge. */
    move: (pressed: string): boolean => {
      const next = byKey[pressed];
      if (next !== undefined) resize(next);
      return next !== undefined;
    },
  };
}
