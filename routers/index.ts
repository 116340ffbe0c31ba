import { auth } from './accounts/index.ts';
import { apiKeys } from './api-keys.ts';
import { router } from './base.ts';
import { connectedApps } from './connected-apps.ts';
import { meta } from './meta.ts';
import { todoLists } from './todo-lists.ts';
import { todos } from './todos/index.ts';
import { workspaces } from './workspaces/index.ts';

export const appRouter = router({ meta, auth, workspaces, apiKeys, connectedApps, todos, todoLists });

/** The type of the whole typed API, for `@trpc/client`. */
export type AppRouter = typeof appRouter;
