import { useCallback, useSyncExternalStore } from 'react';

/* Whether the window has room for the sidebar, and whether it is collapsed in this browser. */

const key = 'tandem.sidebar';
/** As in shell.css. */
const wide = '(min-width: 900px)';
const listeners = new Set<() => void>();

function stored(): boolean {
  try {
    return localStorage.getItem(key) === 'collapsed';
  } catch {
    return false;
  }
}

let isCollapsed = stored();

function subscribe(listener: () => void): () => void {
  const room = matchMedia(wide);
  listeners.add(listener);
  room.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    room.removeEventListener('change', listener);
  };
}

/** The sidebar: whether there is room for it, whether it shows icons only, and how to change that. */
export function useSidebar() {
  const isWide = useSyncExternalStore(subscribe, () => matchMedia(wide).matches);
  const collapsed = useSyncExternalStore(subscribe, () => isCollapsed);
  const toggle = useCallback(() => {
    isCollapsed = !isCollapsed;
    try {
      localStorage.setItem(key, isCollapsed ? 'collapsed' : 'expanded');
    } catch {
      // Storage is disabled: the choice lasts until the next reload.
    }
    for (const listener of listeners) listener();
  }, []);
  return { isWide, isCollapsed: collapsed, toggle };
}
