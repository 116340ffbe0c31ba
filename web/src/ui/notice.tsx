import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

const shownMs = 8_000;
/** With an action, which takes time to decide on and to reach. */
const actionShownMs = 20_000;

/** What a person may do about what a notice says. */
interface NoticeAction {
  label: string;
  onPress: () => void;
}

type Notify = (message: string, action?: NoticeAction) => void;

const NoticeContext = createContext<Notify>(() => {});

/** A function that shows a message on screen and to screen readers, with an action if given, without moving the focus. */
export function useNotice() {
  return useContext(NoticeContext);
}

/** Shows the messages of `useNotice`. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<{ message: string; action?: NoticeAction | undefined; id: number } | null>(null);
  const notify = useCallback<Notify>((message, action) => setNotice({ message, action, id: Date.now() }), []);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(null), notice.action ? actionShownMs : shownMs);
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
        {notice?.action && (
          <Button
            kind="quiet"
            onPress={() => {
              notice.action?.onPress();
              setNotice(null);
            }}
          >
            {notice.action.label}
          </Button>
        )}
        {notice && (
          <Button kind="quiet" aria-label="Dismiss" onPress={() => setNotice(null)}>
            <Icon name="close" />
          </Button>
        )}
      </div>
    </NoticeContext>
  );
}
