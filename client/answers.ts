import type { TRPCLink } from '@trpc/client';
import { observable, tap } from '@trpc/server/observable';
import type { AppRouter } from 'tandem';

/** What ties an answer of the service to the log of the workspace. */
export interface Answer {
  /** The operation, such as `todos.update`. */
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  /** A position which everything that was read contains: follow the log from there. */
  sequence: number | undefined;
  /** The event of the change: once it was received, the change is part of what was followed. */
  eventId: string | undefined;
}

/** What came over HTTP for the calls of one request. */
interface Exchange {
  response?: Response;
  /** The answer as JSON: in a batch one for each call. */
  responseJSON?: unknown;
}

/**
 * The event of a call. `Tandem-Event` of a batch has an entry for each call, in the order of the answers: the answer of
 * this call is found among them by identity.
 */
function eventOf({ response, responseJSON }: Exchange, data: unknown): string | undefined {
  const events = response?.headers.get('Tandem-Event')?.split(', ') ?? [];
  const isAnswer = (each: { result?: { data?: unknown } }) => each.result?.data === data;
  const place = Array.isArray(responseJSON) ? responseJSON.findIndex(isAnswer) : 0;
  const event = events[place];
  return event === '-' ? undefined : event;
}

/** Calls `onAnswer` with the position of each answer that has one. The reads of one request share its position. */
export function answers(onAnswer: (answer: Answer) => void): TRPCLink<AppRouter> {
  return () =>
    ({ op, next }) =>
      observable((observer) =>
        next(op)
          .pipe(
            tap({
              next: ({ result, context = {} }) => {
                const exchange: Exchange = context;
                const sequence = exchange.response?.headers.get('Tandem-Sequence') ?? undefined;
                const eventId = 'data' in result ? eventOf(exchange, result.data) : undefined;
                if (sequence === undefined && eventId === undefined) return;
                const { path, type } = op;
                onAnswer({ path, type, sequence: sequence === undefined ? undefined : Number(sequence), eventId });
              },
            }),
          )
          .subscribe(observer),
      );
}
