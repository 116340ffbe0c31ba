import { useEffect } from 'react';
import { useGo } from '../navigation/navigation.tsx';
import { loadPage, whenIdle } from '../navigation/start.ts';
import { hasSession, signedIn } from '../session/signed-in.ts';

/** Goes to `next` at once if this browser has a session; else loads the code of `next` while the person types. */
export function useSkipWhenSignedIn(next: string): void {
  const go = useGo();
  useEffect(() => {
    let isShown = true;
    let cancel = () => {};
    void hasSession().then(async (has) => {
      if (!isShown) return;
      if (has) {
        await signedIn();
        if (isShown) await go(next, { replace: true });
      } else cancel = whenIdle(() => void loadPage(new URL(next, location.origin).pathname).catch(() => {}));
    });
    return () => {
      isShown = false;
      cancel();
    };
  }, [next, go]);
}
