import { z } from 'zod';

/**
 * The output of a procedure that answers a stream: events that the frame holds one by one against the schema in
 * `op({ stream })`.
 */
export function streamOf<Event>(): z.ZodType<AsyncIterable<Event>> {
  return z.unknown() as z.ZodType as z.ZodType<AsyncIterable<Event>>;
}
