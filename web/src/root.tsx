import { Suspense } from 'react';
import { Outlet, useLocation } from 'react-router';
import { AccountPage } from './account/account-page.tsx';
import { Boundary } from './navigation/lazy-chunk.tsx';
import { OfflineLine } from './shell/offline.tsx';
import { Button, ButtonLink } from './ui/button.tsx';
import { NoticeProvider } from './ui/notice.tsx';

/** Wraps every page: notices, the line that shows a lost connection, and what is shown when a page fails. */
export function Root() {
  const { key } = useLocation();
  return (
    <NoticeProvider>
      <OfflineLine />
      <Boundary at={key} failed={(isUnloaded) => (isUnloaded ? <NotLoaded /> : <WentWrong />)}>
        <Suspense>
          <Outlet />
        </Suspense>
      </Boundary>
    </NoticeProvider>
  );
}

function WentWrong() {
  return (
    <AccountPage title="Something went wrong" intro="The page has crashed. Saved data is not affected.">
      <Reload />
    </AccountPage>
  );
}

function NotLoaded() {
  return (
    <AccountPage
      title="This page could not be loaded"
      intro="The connection was lost, or the service has been updated since this window was opened."
    >
      <Reload />
    </AccountPage>
  );
}

function Reload() {
  return (
    <Button kind="primary" wide onPress={() => location.reload()}>
      Load the page again
    </Button>
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
