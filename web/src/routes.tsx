import { Navigate, type RouteObject } from 'react-router';
import { Consent } from './account/consent.tsx';
import { Join } from './account/join.tsx';
import { ResetPassword } from './account/reset-password.tsx';
import { SignIn } from './account/sign-in.tsx';
import { SignUp } from './account/sign-up.tsx';
import { CapturePage } from './captures/capture-page.tsx';
import { CapturesPage } from './captures/captures-page.tsx';
import { NewNote } from './captures/new-note.tsx';
import { RecordPage } from './captures/record-page.tsx';
import { Frame, PageLayout } from './frame.tsx';
import { NotificationsPage } from './notifications/notifications-page.tsx';
import { NotFound, Root, WentWrong } from './root.tsx';
import { ApiKeys } from './settings/api-keys.tsx';
import { ConnectedApps } from './settings/connected-apps.tsx';
import { SettingsLayout } from './settings/layout.tsx';
import { Members } from './settings/members.tsx';
import { NewApiKey } from './settings/new-api-key.tsx';
import { NotificationSwitches } from './settings/notification-switches.tsx';
import { Sessions } from './settings/sessions.tsx';
import { Workspace } from './settings/workspace.tsx';

/** Every page. The service serves exactly these addresses (adapters/pages.ts). */
export const routes: RouteObject[] = [
  {
    element: <Root />,
    errorElement: <WentWrong />,
    children: [
      { path: '/', element: <Navigate to="/settings" replace /> },
      { path: '/sign-in', element: <SignIn /> },
      { path: '/sign-up', element: <SignUp /> },
      { path: '/reset-password', element: <ResetPassword /> },
      { path: '/join', element: <Join /> },
      { path: '/oauth/consent', element: <Consent /> },
      {
        element: <Frame />,
        children: [
          {
            element: <PageLayout />,
            children: [
              { path: '/record', element: <RecordPage /> },
              { path: '/captures', element: <CapturesPage /> },
              { path: '/captures/new', element: <NewNote /> },
              { path: '/captures/:captureId', element: <CapturePage /> },
            ],
          },
          {
            element: <SettingsLayout />,
            children: [
              { path: '/notifications', element: <NotificationsPage /> },
              { path: '/settings', element: <Navigate to="/settings/api-keys" replace /> },
              { path: '/settings/api-keys', element: <ApiKeys /> },
              { path: '/settings/api-keys/new', element: <NewApiKey /> },
              { path: '/settings/connected-apps', element: <ConnectedApps /> },
              { path: '/settings/members', element: <Members /> },
              { path: '/settings/notifications', element: <NotificationSwitches /> },
              { path: '/settings/sessions', element: <Sessions /> },
              { path: '/settings/workspace', element: <Workspace /> },
            ],
          },
        ],
      },
      { path: '*', element: <NotFound /> },
    ],
  },
];
