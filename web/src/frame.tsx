import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Navigate, Outlet, useLocation, useOutletContext } from 'react-router';
import { type Identity, identityQuery } from './api/queries.ts';
import { withNext } from './next-page.ts';
import { TopBar } from './settings/top-bar.tsx';
import { Failed } from './ui/card.tsx';

/** Who is signed in, for the pages inside the frame. */
export function useIdentity(): Identity {
  return useOutletContext<Identity>();
}

/** Around every page for people who are signed in. Who is not goes to the sign-in and comes back. */
export function Frame() {
  const identity = useQuery(identityQuery);
  const { pathname, search } = useLocation();
  const wasSignedIn = useRef(false);
  useEffect(() => {
    if (identity.data) wasSignedIn.current = true;
  }, [identity.data]);
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
      {identity.error && (
        <main id="content" tabIndex={-1} className="page">
          <Failed error={identity.error} retry={() => void identity.refetch()} />
        </main>
      )}
      {identity.data && <Outlet context={identity.data} key={identity.data.workspace.id} />}
    </>
  );
}

/** A page that has the whole width to itself. */
export function PageLayout() {
  return (
    <main id="content" tabIndex={-1} className="page">
      <Outlet context={useIdentity()} />
    </main>
  );
}
