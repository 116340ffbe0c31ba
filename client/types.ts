import type { TRPCClient } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from 'tandem';

/** The typed API: every operation as `tandem.todos.list.query(…)` or `tandem.todos.create.mutate(…)`. */
export type TandemClient = TRPCClient<AppRouter>;

/** Inputs of the operations: `TandemInputs['todos']['create']`. */
export type TandemInputs = inferRouterInputs<AppRouter>;

/** Outputs of the operations: `TandemOutputs['todos']['get']`. */
export type TandemOutputs = inferRouterOutputs<AppRouter>;

type Events = TandemOutputs['chats']['stream'];

/** An event of a chat: a message, a piece of the one being written, a status, or the end. */
export type ChatEvent = Events extends AsyncIterable<infer Event> ? Event : never;

type Streamed = TandemOutputs['events']['stream'];

/** What a stream of the workspace's events sends: an event, or how far it has come. */
export type StreamedEvent = Streamed extends AsyncIterable<infer Sent> ? Sent : never;

/** A change of one resource of the workspace. */
export type TandemEvent = TandemOutputs['events']['list']['data'][number];
