import { Navigate, type RouteObject } from 'react-router';
import { Consent } from './account/consent.tsx';
import { Join } from './account/join.tsx';
import { ResetPassword } from './account/reset-password.tsx';
import { SignIn } from './account/sign-in.tsx';
import { SignUp } from './account/sign-up.tsx';
import { NotFound, Root, WentWrong } from './root.tsx';
import { ApiKeys } from './settings/api-keys.tsx';
import { ConnectedApps } from './settings/connected-apps.tsx';
import { SettingsLayout } from './settings/layout.tsx';
import { Members } from './settings/members.tsx';
import { NewApiKey } from './settings/new-api-key.tsx';
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
        path: '/settings',
        element: <SettingsLayout />,
        children: [
          { index: true, element: <Navigate to="/settings/api-keys" replace /> },
          { path: 'api-keys', element: <ApiKeys /> },
          { path: 'api-keys/new', element: <NewApiKey /> },
          { path: 'connected-apps', element: <ConnectedApps /> },
          { path: 'members', element: <Members /> },
          { path: 'sessions', element: <Sessions /> },
          { path: 'workspace', element: <Workspace /> },
        ],
      },
      { path: '*', element: <NotFound /> },
    ],
  },
];
