import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
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

/**
 * A function that shows a message on screen and to screen readers, with an action if given, without moving the focus.
 */
export function useNotice() {
  return useContext(NoticeContext);
}

/** Shows the messages of `useNotice`. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<{ message: string; action?: NoticeAction | undefined; id: number } | null>(null);
  const notify = useCallback<Notify>((message, action) => setNotice({ message, action, id: Date.now() }), []);
  const region = useRef<HTMLDivElement>(null);
  const focusedBefore = useRef<HTMLElement>(null);
  /** The focus goes back to where it was before it came to one of the buttons. */
  const close = useCallback(() => {
    if (region.current?.contains(document.activeElement)) focusedBefore.current?.focus();
    setNotice(null);
  }, []);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(close, notice.action ? actionShownMs : shownMs);
    return () => clearTimeout(timer);
  }, [notice, close]);
  return (
    <NoticeContext value={notify}>
      {children}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only notes where the focus was. */}
      <div
        ref={region}
        className="notice-region"
        onFocus={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) focusedBefore.current = relatedTarget as HTMLElement | null;
        }}
        {...(notice && { role: 'region', 'aria-label': 'Notice' })}
      >
        <div role="status">
          {notice && (
            <p className="notice" key={notice.id}>
              {notice.message}
            </p>
          )}
        </div>
        {notice?.action && (
          <Button
            kind="quiet"
            onPress={() => {
              notice.action?.onPress();
              close();
            }}
          >
            {notice.action.label}
          </Button>
        )}
        {notice && (
          <Button kind="quiet" aria-label="Dismiss" onPress={close}>
            <Icon name="close" />
          </Button>
        )}
      </div>
    </NoticeContext>
  );
}
