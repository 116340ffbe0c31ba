import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Navigate, NavLink, Outlet, useLocation, useOutletContext } from 'react-router';
import { type Identity, identityQuery } from '../api/queries.ts';
import { withNext } from '../next-page.ts';
import { Failed } from '../ui/card.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { TopBar } from './top-bar.tsx';

const sections: { to: string; label: string; icon: IconName }[] = [
  { to: '/settings/api-keys', label: 'API keys', icon: 'key' },
  { to: '/settings/connected-apps', label: 'Connected apps', icon: 'apps' },
  { to: '/settings/members', label: 'Members', icon: 'members' },
  { to: '/settings/workspace', label: 'Workspace', icon: 'workspace' },
  { to: '/settings/notifications', label: 'Notifications', icon: 'bell' },
  { to: '/settings/sessions', label: 'Sessions', icon: 'sessions' },
];

/** Who is signed in, for the pages inside the settings. */
export function useIdentity(): Identity {
  return useOutletContext<Identity>();
}

/** The frame of the settings. Who is not signed in goes to the sign-in and comes back. */
export function SettingsLayout() {
  const identity = useQuery(identityQuery);
  const { pathname, search } = useLocation();
  const wasSignedIn = useRef(false);
  useEffect(() => {
    if (identity.data) wasSignedIn.current = true;
  }, [identity.data]);
  useEffect(() => {
    // On a phone the sections are wider than the screen.
    const strip = document.querySelector('.sections');
    const active = strip?.querySelector<HTMLElement>(`a[href="${pathname}"]`) ?? null;
    if (strip && active) strip.scrollLeft = active.offsetLeft - (strip.clientWidth - active.offsetWidth) / 2;
  }, [pathname]);
  if (identity.data === null) {
    const next = pathname === '/settings/api-keys' ? '/settings' : pathname + search;
    const state = wasSignedIn.current ? { notice: 'Your session has ended. Sign in to go on.' } : null;
    return <Navigate to={withNext('/sign-in', next)} replace state={state} />;
  }
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <TopBar identity={identity.data} />
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
          {identity.error && <Failed error={identity.error} retry={() => void identity.refetch()} />}
          {identity.data && <Outlet context={identity.data} key={identity.data.workspace.id} />}
        </main>
      </div>
    </>
  );
}
