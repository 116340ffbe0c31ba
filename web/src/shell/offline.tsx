import { useSyncExternalStore } from 'react';
import { Icon } from '../ui/icons.tsx';

const events = ['online', 'offline'];

function subscribe(changed: () => void): () => void {
  for (const event of events) addEventListener(event, changed);
  return () => {
    for (const event of events) removeEventListener(event, changed);
  };
}

/** Whether the browser has a connection, as it says itself. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

/** A line above every page while the browser has no connection. What is typed stays in the page. */
export function OfflineLine() {
  const isOnline = useOnline();
  return (
    <div role="status">
      {!isOnline && (
        <p className="offline">
          <Icon name="warning" />
          You are offline. Text that you type is kept, changes of todos are sent later. What is shown may be old.
        </p>
      )}
    </div>
  );
}
