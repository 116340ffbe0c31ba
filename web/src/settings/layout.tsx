import { useEffect } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import { useIdentity } from '../frame.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';

const sections: { to: string; label: string; icon: IconName }[] = [
  { to: '/settings/api-keys', label: 'API keys', icon: 'key' },
  { to: '/settings/connected-apps', label: 'Connected apps', icon: 'apps' },
  { to: '/settings/members', label: 'Members', icon: 'members' },
  { to: '/settings/workspace', label: 'Workspace', icon: 'workspace' },
  { to: '/settings/notifications', label: 'Notifications', icon: 'bell' },
  { to: '/settings/sessions', label: 'Sessions', icon: 'sessions' },
];

/** The settings: their sections beside the one that is shown. */
export function SettingsLayout() {
  const identity = useIdentity();
  const { pathname } = useLocation();
  useEffect(() => {
    // On a phone the sections are wider than the screen.
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
              <NavLink to={to}>
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
