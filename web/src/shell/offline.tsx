import { useSyncExternalStore } from 'react';
import { Icon } from '../ui/icons.tsx';

const events = ['online', 'offline'];

function subscribe(changed: () => void): () => void {
  for (const event of events) addEventListener(event, changed);
  return () => {
    for (const event of events) removeEventListener(event, changed);
  };
}

/** A line above every page while the browser has no connection. What is typed stays in the page. */
export function OfflineLine() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className="offline">
          <Icon name="warning" />
          You are offline. Text that you type is kept; send it when the connection is back.
        </p>
      )}
    </div>
  );
}
