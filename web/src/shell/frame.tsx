import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useRef } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { emailVerificationQuery, type Identity, identityQuery } from '../api/queries.ts';
import { Boundary } from '../navigation/lazy-chunk.tsx';
import { loadPage, whenIdle } from '../navigation/start.ts';
import { wipeStored } from '../offline/store.ts';
import { showBadge } from '../session/app-badge.ts';
import { withNext } from '../session/next-page.ts';
import { useIdentity } from '../session/session.ts';
import { rememberPage } from '../todo-common/last-page.ts';
import { Failed } from '../ui/card.tsx';
import { failedPage, Reload } from '../ui/failed-page.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Page } from '../ui/page.tsx';
import { CommandCenter } from './command-center.tsx';
import { LiveUpdates } from './live-updates.tsx';
import { NarrowBars } from './narrow-bars.tsx';
import { Sidebar } from './sidebar.tsx';
import { useSidebar } from './sidebar-state.ts';

const ConfirmAddress = lazyPart(() =>
  import('../account/email-verification.tsx').then(({ ConfirmAddress }) => ConfirmAddress),
);
const OtherWorkspace = lazyPart(() => import('./other-workspace.tsx').then(({ OtherWorkspace }) => OtherWorkspace));

/** The only page of a workspace that requires a second factor, for people without one. */
const securityPage = '/settings/security';

/** Pages that are loaded once the first one is shown. */
const likelyNext = ['/todos', '/inbox', '/chats', '/captures', '/notifications', '/settings', '/todos/any', '/changes'];

/** Wraps every page that needs a session. Without one it redirects to the sign-in page and back. */
export function Frame() {
  const identity = useQuery(identityQuery);
  const { pathname, search } = useLocation();
  const wasSignedIn = useRef(false);
  useEffect(() => {
    if (identity.data) wasSignedIn.current = true;
    if (identity.data !== null) return;
    showBadge(0);
    void wipeStored();
  }, [identity.data]);
  if (identity.data === null) {
    const next = pathname + search;
    const state = wasSignedIn.current ? { notice: 'Your session has ended. Sign in to continue.' } : null;
    return <Navigate to={withNext('/sign-in', next)} replace state={state} />;
  }
  if (!identity.data) {
    return (
      <main id="content" tabIndex={-1} className="page">
        {identity.error && <Failed error={identity.error} retry={() => void identity.refetch()} />}
      </main>
    );
  }
  const isClosed = !identity.data.allowedOperations.includes('listTodos');
  if (isClosed && pathname !== securityPage) return <Navigate to={securityPage} replace />;
  const { user, workspace } = identity.data;
  return <Shell identity={identity.data} key={user.id + workspace.id} />;
}

function Shell({ identity }: { identity: Identity }) {
  const { isWide, isCollapsed } = useSidebar();
  const { pathname, search, key } = useLocation();
  const { data: address } = useQuery(emailVerificationQuery);
  const unconfirmed = address?.verifiedAt === null && address.isRequired ? address.email : undefined;
  const named = new URLSearchParams(search).get('workspace');
  useEffect(() => rememberPage(identity.workspace.id, pathname), [identity.workspace.id, pathname]);
  useEffect(() => whenIdle(() => likelyNext.forEach((page) => void loadPage(page).catch(() => {}))), []);
  return (
    <CommandCenter>
      <div className={isWide ? `shell${isCollapsed ? ' collapsed' : ''}` : 'shell narrow'}>
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        {isWide ? (
          <aside className="sidebar" aria-label="Navigation">
            <Sidebar identity={identity} />
          </aside>
        ) : (
          <NarrowBars identity={identity} />
        )}
        <div className="stage">
          {unconfirmed !== undefined && (
            <Suspense>
              <ConfirmAddress email={unconfirmed} />
            </Suspense>
          )}
          {named !== null && named !== identity.workspace.id && (
            <Suspense>
              <OtherWorkspace workspace={identity.workspace} named={named} />
            </Suspense>
          )}
          <Boundary at={key} failed={(isUnloaded) => <PageFailed isUnloaded={isUnloaded} />}>
            <Suspense>
              <Outlet context={identity} />
            </Suspense>
          </Boundary>
        </div>
        <LiveUpdates identity={identity} />
      </div>
    </CommandCenter>
  );
}

function PageFailed({ isUnloaded }: { isUnloaded: boolean }) {
  return (
    <main id="content" tabIndex={-1} className="page">
      <Page {...failedPage(isUnloaded)}>
        <div>
          <Reload />
        </div>
      </Page>
    </main>
  );
}

/** Layout of a full-width page. */
export function PageLayout() {
  return (
    <main id="content" tabIndex={-1} className="page">
      <Outlet context={useIdentity()} />
    </main>
  );
}
