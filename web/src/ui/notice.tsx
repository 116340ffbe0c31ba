import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

const shownMs = 8_000;

const NoticeContext = createContext<(message: string) => void>(() => {});

/** A function that shows a message on screen and to screen readers, without moving the focus. */
export function useNotice() {
  return useContext(NoticeContext);
}

/** Shows the messages of `useNotice`. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<{ message: string; id: number } | null>(null);
  const notify = useCallback((message: string) => setNotice({ message, id: Date.now() }), []);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(null), shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <NoticeContext value={notify}>
      {children}
      <div className="notice-region" {...(notice && { role: 'region', 'aria-label': 'Notice' })}>
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
    </NoticeContext>
  );
}
