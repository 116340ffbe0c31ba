import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import type { Identity } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { Overlay } from '../ui/overlay.tsx';
import { Sidebar } from './sidebar.tsx';

interface DrawerProps {
  identity: Identity;
  onClose: () => void;
}

/** The sidebar of a narrow window, over the page. It closes with every navigation. */
export function Drawer({ identity, onClose }: DrawerProps) {
  const { key } = useLocation();
  const openedAt = useRef(key);
  useEffect(() => {
    if (key !== openedAt.current) onClose();
  }, [key, onClose]);
  return (
    <Overlay as="drawer" label="Navigation" isDismissable close={onClose}>
      <button type="button" className="side-icon drawer-close" aria-label="Close the navigation" onClick={onClose}>
        <Icon name="close" />
      </button>
      <Sidebar identity={identity} />
    </Overlay>
  );
}
