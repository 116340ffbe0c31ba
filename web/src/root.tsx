import { RouterProvider } from 'react-aria-components';
import { Outlet, useHref, useNavigate } from 'react-router';
import { AccountPage } from './account/account-page.tsx';
import { Button, ButtonLink } from './ui/button.tsx';
import { NoticeProvider } from './ui/notice.tsx';

/** Around every page: links of the controls go through the router, and results are told in one place. */
export function Root() {
  const navigate = useNavigate();
  return (
    <RouterProvider navigate={(path) => void navigate(path)} useHref={useHref}>
      <NoticeProvider>
        <Outlet />
      </NoticeProvider>
    </RouterProvider>
  );
}

export function NotFound() {
  return (
    <AccountPage title="There is no such page" intro="The address may be mistyped, or the page may have moved.">
      <ButtonLink to="/settings" kind="primary" wide>
        Go to the settings
      </ButtonLink>
    </AccountPage>
  );
}

/** A fault of the page itself. */
export function WentWrong() {
  return (
    <AccountPage title="Something went wrong" intro="This page failed. Nothing that you saved is lost.">
      <Button kind="primary" wide onPress={() => location.reload()}>
        Load the page again
      </Button>
    </AccountPage>
  );
}
