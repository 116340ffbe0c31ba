import { router } from './base.ts';
import { meta } from './meta.ts';
import { todoLists } from './todo-lists.ts';

export const appRouter = router({ meta, todoLists });

/** The type of the whole typed API, for `@trpc/client`. */
export type AppRouter = typeof appRouter;
