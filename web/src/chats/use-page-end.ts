import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/** So near to the end, in pixels, that a person sees it. */
const near = 32;

function distanceToEnd(): number {
  return document.documentElement.scrollHeight - window.innerHeight - window.scrollY;
}

/**
 * Keeps the end of the page in view while it grows, from when it `isShown` until the person scrolls up, and again from
 * when they are back at the end. `toEnd` goes there.
 */
export function usePageEnd(isShown: boolean): { isAtEnd: boolean; toEnd: () => void } {
  const isKept = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const toEnd = useCallback(() => {
    isKept.current = true;
    setAtEnd(true);
    window.scrollTo(0, document.documentElement.scrollHeight);
  }, []);
  useLayoutEffect(() => {
    if (!isShown) return;
    let before = window.scrollY;
    const scrolled = () => {
      const now = window.scrollY;
      if (distanceToEnd() <= near) isKept.current = true;
      else if (now < before) isKept.current = false;
      before = now;
      setAtEnd(isKept.current);
    };
    const keep = () => {
      if (isKept.current) window.scrollTo(0, document.documentElement.scrollHeight);
    };
    // And in the next frame, as rows that are measured in this one move the page too (use-row-window.ts).
    let frame = 0;
    const growth = new ResizeObserver(() => {
      keep();
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(keep);
    });
    growth.observe(document.body);
    window.addEventListener('scroll', scrolled, { passive: true });
    // Such as by the keyboard of a phone.
    window.addEventListener('resize', keep);
    toEnd();
    return () => {
      growth.disconnect();
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', scrolled);
      window.removeEventListener('resize', keep);
    };
  }, [isShown, toEnd]);
  return { isAtEnd, toEnd };
}
