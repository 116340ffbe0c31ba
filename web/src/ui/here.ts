import { useEffect, useRef } from 'react';
import { type NavigateOptions, useNavigate } from 'react-router';

/**
 * Returns whether the component is still on the page. Work that it began may end later: then it must not close or leave
 * what the person has opened meanwhile.
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

/** Goes to another page, unless the component has left this one. Returns whether it went. */
export function useGoOn(): (to: string, options?: NavigateOptions) => Promise<boolean> {
  const navigate = useNavigate();
  const isHere = useIsHere();
  return async (to, options) => {
    if (!isHere()) return false;
    await navigate(to, options);
    return true;
  };
}
