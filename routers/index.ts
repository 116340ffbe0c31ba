import { router } from './base.ts';
import { meta } from './meta.ts';
import { todoLists } from './todo-lists.ts';
import { todos } from './todos/index.ts';

export const appRouter = router({ meta, todos, todoLists });

/** The type of the whole typed API, for `@trpc/client`. */
export type AppRouter = typeof appRouter;
