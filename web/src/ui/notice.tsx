import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

const shownMs = 8_000;

const Tell = createContext<(message: string) => void>(() => {});

/** Tells what happened, on the screen and to screen readers, without taking the focus. */
export function useNotice() {
  return useContext(Tell);
}

export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<{ message: string; id: number } | null>(null);
  const tell = useCallback((message: string) => setNotice({ message, id: Date.now() }), []);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(null), shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <Tell value={tell}>
      {children}
      <div className="notice-region">
        <div role="status">
          {notice && (
            <p className="notice" key={notice.id}>
              <Icon name="check" />
              {notice.message}
            </p>
          )}
        </div>
        {notice && (
          <Button kind="quiet" aria-label="Dismiss" onPress={() => setNotice(null)}>
            <Icon name="close" />
          </Button>
        )}
      </div>
    </Tell>
  );
}
