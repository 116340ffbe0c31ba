import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import type { Identity } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { Overlay } from '../ui/overlay.tsx';
import { Sidebar } from './sidebar.tsx';

interface DrawerProps {
  identity: Identity;
  close: () => void;
}

/** The sidebar of a narrow window, over the page. It closes with every navigation. */
export function Drawer({ identity, close }: DrawerProps) {
  const { key } = useLocation();
  const openedAt = useRef(key);
  useEffect(() => {
    if (key !== openedAt.current) close();
  }, [key, close]);
  return (
    <Overlay as="drawer" label="Navigation" isDismissable close={close}>
      <button type="button" className="side-icon drawer-close" aria-label="Close the navigation" onClick={close}>
        <Icon name="close" />
      </button>
      <Sidebar identity={identity} />
    </Overlay>
  );
}
