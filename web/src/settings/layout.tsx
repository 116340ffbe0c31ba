import { useEffect } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { Icon, type IconName } from '../ui/icons.tsx';

const sections: { to: string; label: string; icon: IconName }[] = [
  { to: '/settings/profile', label: 'Profile', icon: 'person' },
  { to: '/settings/appearance', label: 'Appearance', icon: 'appearance' },
  { to: '/settings/api-keys', label: 'API keys', icon: 'key' },
  { to: '/settings/connected-apps', label: 'Connected apps', icon: 'apps' },
  { to: '/settings/webhooks', label: 'Webhooks', icon: 'webhook' },
  { to: '/settings/members', label: 'Members', icon: 'members' },
  { to: '/settings/labels', label: 'Labels', icon: 'label' },
  { to: '/settings/workspace', label: 'Workspace', icon: 'workspace' },
  { to: '/settings/notifications', label: 'Notifications', icon: 'bell' },
  { to: '/settings/sessions', label: 'Sessions', icon: 'sessions' },
  { to: '/settings/security', label: 'Security', icon: 'shield' },
];

/** Layout of the settings: navigation and the current section. */
export function SettingsLayout() {
  const identity = useIdentity();
  const { pathname } = useLocation();
  useEffect(() => {
    // On narrow screens the navigation scrolls horizontally.
    const strip = document.querySelector('.sections');
    const active = strip?.querySelector<HTMLElement>(`a[href="${pathname}"]`) ?? null;
    if (strip && active) strip.scrollLeft = active.offsetLeft - (strip.clientWidth - active.offsetWidth) / 2;
  }, [pathname]);
  return (
    <div className="settings">
      <nav aria-label="Settings" className="sections">
        <ul>
          {sections.map(({ to, label, icon }) => (
            <li key={to}>
              {/* The settings begin with the first section. */}
              <NavLink to={pathname === '/settings' && to === sections[0]?.to ? pathname : to}>
                <Icon name={icon} />
                {label}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        <Outlet context={identity} />
      </main>
    </div>
  );
}
