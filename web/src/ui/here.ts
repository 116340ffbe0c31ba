import { useEffect, useRef } from 'react';

/**
 * Returns whether the component is on the page still. What it began may end later: that must not close or leave what the
 * person went on to meanwhile.
 */
export function useIsHere(): () => boolean {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return () => isHere.current;
}
