import type { ComponentType } from 'react';
import type { RouteObject } from 'react-router';
import table from '../pages.json' with { type: 'json' };
import { SignIn } from './account/sign-in.tsx';
import { SignUp } from './account/sign-up.tsx';
import { Welcome } from './account/welcome.tsx';
import { LazyChunk } from './navigation/lazy-chunk.tsx';
import { type Chunk, chunk, type LayoutName, type PageName } from './navigation/pages.ts';
import { setChunks } from './navigation/start.ts';
import { NotFound, Root } from './root.tsx';

type Load = () => Promise<ComponentType>;

/** The chunk of each page of web/pages.json. Each has the name of its file. */
const loads: Record<PageName, Load> = {
  // With the entry: they are the first pages of people, and small.
  'account/sign-in': async () => SignIn,
  'account/sign-up': async () => SignUp,
  'account/welcome': async () => Welcome,
  'account/reset-password': () => import('./account/reset-password.tsx').then(({ ResetPassword }) => ResetPassword),
  'account/consent': () => import('./account/consent.tsx').then(({ Consent }) => Consent),
  'account/verify-email': () => import('./account/verify-email.tsx').then(({ VerifyEmail }) => VerifyEmail),
  'account/join': () => import('./account/join.tsx').then(({ Join }) => Join),
  'inbox/inbox-page': () => import('./inbox/inbox-page.tsx').then(({ InboxPage }) => InboxPage),
  'runs/runs-page': () => import('./runs/runs-page.tsx').then(({ RunsPage }) => RunsPage),
  'share/share-page': () => import('./share/share-page.tsx').then(({ SharePage }) => SharePage),
  'todo-common/home-page': () => import('./todo-common/home-page.tsx').then(({ HomePage }) => HomePage),
  'todos/todos-page': () => import('./todos/todos-page.tsx').then(({ TodosPage }) => TodosPage),
  'todos/view-page': () => import('./todos/view-page.tsx').then(({ ViewPage }) => ViewPage),
  'lists/lists-page': () => import('./lists/lists-page.tsx').then(({ ListsPage }) => ListsPage),
  'todo/todo-page': () => import('./todo/todo-page.tsx').then(({ TodoPage }) => TodoPage),
  'chats/chats-page': () => import('./chats/chats-page.tsx').then(({ ChatsPage }) => ChatsPage),
  'chats/chat-page': () => import('./chats/chat-page.tsx').then(({ ChatPage }) => ChatPage),
  'agents/agents-page': () => import('./agents/agents-page.tsx').then(({ AgentsPage }) => AgentsPage),
  'agents/new-agent-page': () => import('./agents/new-agent-page.tsx').then(({ NewAgentPage }) => NewAgentPage),
  'agents/agent-page': () => import('./agents/agent-page.tsx').then(({ AgentPage }) => AgentPage),
  'schedules/schedules-page': () => import('./schedules/schedules-page.tsx').then(({ SchedulesPage }) => SchedulesPage),
  'usage/usage-page': () => import('./usage/usage-page.tsx').then(({ UsagePage }) => UsagePage),
  'captures/record-page': () => import('./captures/record-page.tsx').then(({ RecordPage }) => RecordPage),
  'captures/captures-page': () => import('./captures/captures-page.tsx').then(({ CapturesPage }) => CapturesPage),
  'captures/new-note': () => import('./captures/new-note.tsx').then(({ NewNote }) => NewNote),
  'captures/capture-page': () => import('./captures/capture-page.tsx').then(({ CapturePage }) => CapturePage),
  'notifications/notifications-page': () =>
    import('./notifications/notifications-page.tsx').then(({ NotificationsPage }) => NotificationsPage),
  'changes/changes-page': () => import('./changes/changes-page.tsx').then(({ ChangesPage }) => ChangesPage),
  'settings/profile': () => import('./settings/profile.tsx').then(({ Profile }) => Profile),
  'settings/appearance': () => import('./settings/appearance.tsx').then(({ Appearance }) => Appearance),
  'settings/api-keys': () => import('./settings/api-keys.tsx').then(({ ApiKeys }) => ApiKeys),
  'settings/new-api-key': () => import('./settings/new-api-key.tsx').then(({ NewApiKey }) => NewApiKey),
  'settings/connected-apps': () => import('./settings/connected-apps.tsx').then(({ ConnectedApps }) => ConnectedApps),
  'settings/members': () => import('./settings/members.tsx').then(({ Members }) => Members),
  'settings/labels': () => import('./settings/labels.tsx').then(({ Labels }) => Labels),
  'settings/notification-switches': () =>
    import('./settings/notification-switches.tsx').then(({ NotificationSwitches }) => NotificationSwitches),
  'settings/security': () => import('./settings/security.tsx').then(({ Security }) => Security),
  'settings/sessions': () => import('./settings/sessions.tsx').then(({ Sessions }) => Sessions),
  'settings/webhooks/webhooks-page': () =>
    import('./settings/webhooks/webhooks-page.tsx').then(({ WebhooksPage }) => WebhooksPage),
  'settings/webhooks/new-webhook-page': () =>
    import('./settings/webhooks/new-webhook-page.tsx').then(({ NewWebhookPage }) => NewWebhookPage),
  'settings/webhooks/webhook-page': () =>
    import('./settings/webhooks/webhook-page.tsx').then(({ WebhookPage }) => WebhookPage),
  'settings/workspace': () => import('./settings/workspace.tsx').then(({ Workspace }) => Workspace),
};

const layouts = {
  app: chunk(() => import('./shell/app.tsx').then(({ App }) => App)),
  frame: chunk(() => import('./shell/frame.tsx').then(({ Frame }) => Frame)),
  work: chunk(() => import('./shell/frame.tsx').then(({ PageLayout }) => PageLayout)),
  settings: chunk(() => import('./settings/layout.tsx').then(({ SettingsLayout }) => SettingsLayout)),
};

const layersOf: Record<LayoutName, readonly Chunk[]> = {
  bare: [],
  app: [layouts.app],
  work: [layouts.app, layouts.frame, layouts.work],
  settings: [layouts.app, layouts.frame, layouts.settings],
};

const pages = Object.fromEntries(Object.entries(loads).map(([name, load]) => [name, chunk(load)])) as Record<
  PageName,
  Chunk
>;

setChunks(({ name, layout }) => [...layersOf[layout], pages[name]]);

const childrenOf = (layout: LayoutName): RouteObject[] =>
  Object.entries(table)
    .filter(([, page]) => page.layout === layout)
    .flatMap(([name, { addresses }]) =>
      addresses.map((path) => ({ path, element: <LazyChunk of={pages[name as PageName]} /> })),
    );

/** All pages in their layouts. */
export const routes: RouteObject[] = [
  {
    element: <Root />,
    children: [
      ...childrenOf('bare'),
      {
        element: <LazyChunk of={layouts.app} />,
        children: [
          ...childrenOf('app'),
          {
            element: <LazyChunk of={layouts.frame} />,
            children: [
              { element: <LazyChunk of={layouts.work} />, children: childrenOf('work') },
              { element: <LazyChunk of={layouts.settings} />, children: childrenOf('settings') },
            ],
          },
        ],
      },
      { path: '*', element: <NotFound /> },
    ],
  },
];
