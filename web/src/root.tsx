import { Suspense } from 'react';
import { Outlet, useLocation } from 'react-router';
import { AccountPage } from './account/account-page.tsx';
import { Boundary } from './navigation/lazy-chunk.tsx';
import { OfflineLine } from './shell/offline.tsx';
import { ButtonLink } from './ui/button.tsx';
import { failedPage, Reload } from './ui/failed-page.tsx';
import { NoticeProvider } from './ui/notice.tsx';

/** Wraps every page: notices, the line that shows a lost connection, and what is shown when a page fails. */
export function Root() {
  const { key } = useLocation();
  return (
    <NoticeProvider>
      <OfflineLine />
      <Boundary
        at={key}
        failed={(isUnloaded) => (
          <AccountPage {...failedPage(isUnloaded)}>
            <Reload wide />
          </AccountPage>
        )}
      >
        <Suspense>
          <Outlet />
        </Suspense>
      </Boundary>
    </NoticeProvider>
  );
}

/** Page for unknown addresses; the service sends it with status 404. */
export function NotFound() {
  return (
    <AccountPage title="Page not found" intro="The address may be mistyped, or the page may have moved.">
      <ButtonLink to="/" kind="primary" wide>
        Go to your work
      </ButtonLink>
      <p>
        Programs find the operations of the API in its <a href="/docs">reference</a>.
      </p>
    </AccountPage>
  );
}
