import { auth } from './accounts.ts';
import { agents } from './agents.ts';
import { apiKeys } from './api-keys.ts';
import { approvals } from './approvals.ts';
import { router } from './base.ts';
import { captures } from './captures.ts';
import { chats } from './chats.ts';
import { connectedApps } from './connected-apps.ts';
import { events } from './events.ts';
import { labels } from './labels.ts';
import { meta } from './meta.ts';
import { notifications } from './notifications.ts';
import { runs } from './runs.ts';
import { secondFactors } from './second-factors.ts';
import { skills } from './skills.ts';
import { snoozes } from './snoozes.ts';
import { todoLists } from './todo-lists.ts';
import { todos } from './todos.ts';
import { usage } from './usage.ts';
import { views } from './views.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';
import { workspaces } from './workspaces.ts';

export const appRouter = router({
  meta,
  auth,
  secondFactors,
  workspaces,
  apiKeys,
  connectedApps,
  todos,
  todoLists,
  labels,
  views,
  runs,
  chats,
  agents,
  skills,
  captures,
  approvals,
  notifications,
  snoozes,
  usage,
  events,
  webhookEndpoints,
});

/** The type of the whole typed API, for `@trpc/client`. */
export type AppRouter = typeof appRouter;
