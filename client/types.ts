import type { TRPCClient } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from 'tandem';

/** The typed API: every operation as `tandem.todos.list.query(…)` or `tandem.todos.create.mutate(…)`. */
export type TandemClient = TRPCClient<AppRouter>;

/** What the operations take: `TandemInputs['todos']['create']`. */
export type TandemInputs = inferRouterInputs<AppRouter>;

/** What the operations answer: `TandemOutputs['todos']['get']`. */
export type TandemOutputs = inferRouterOutputs<AppRouter>;

type Events = TandemOutputs['chats']['stream'];

/** Something that happens in a chat: a message, a piece of the one being written, a status, or that it is done. */
export type ChatEvent = Events extends AsyncIterable<infer Event> ? Event : never;
