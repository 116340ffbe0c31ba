import type { EventAnswer, StreamedEventAnswer } from '../../domain/events/shapes.ts';
import type { Context } from '../commands/invocation.ts';
import type { CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, exitCodes } from '../model/failure.ts';
import { type Printing, pick } from '../output/print.ts';
import { tabbed } from '../output/table.ts';
import type { Calls } from '../service/calls.ts';
import { safeJson } from '../terminal/safe.ts';
import { cut } from '../terminal/width.ts';
import { followStream, type Received } from './events.ts';

/** What a line shows of an event: `id` is that of the resource that changed. */
const columns = ['sequence', 'occurredAt', 'type', 'id', 'actor'];

/** One event on a line: for programs with tabs, on a terminal cut to its width. */
function lineOf(event: EventAnswer, { out }: Context, fields: readonly string[] | undefined): string {
  const line = tabbed(fields ?? columns, [fields ? event : { ...event, id: event.data.id }]);
  return out.isTerminal ? `${cut(line.trimEnd().replaceAll('\t', '  '), out.columns)}\n` : line;
}

/**
 * Prints the changes of the workspace as they happen, each on a line, until Ctrl-C. The positions between them, which
 * say how far the log has been read, are for programs alone. @throws CliFailure 130 for Ctrl-C, and when it cannot be
 * followed.
 */
export async function followChanges(
  operation: CatalogueOperation,
  query: Readonly<Record<string, string>>,
  calls: Calls,
  context: Context,
  { form, fields }: Printing,
): Promise<never> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  const open = (signal: AbortSignal, last: string) => calls.open(operation, { query }, signal, last);
  let last = '';
  // Every connection begins with the position.
  const isNew = ({ event, id }: Received) => {
    const before = last;
    last = id;
    return event !== 'position' || id !== before;
  };
  try {
    for await (const { event, id, data } of followStream(open, '', isNew, stop.signal)) {
      const received = { event, id: Number(id), data } as StreamedEventAnswer;
      if (form !== 'people') context.out.write(`${safeJson({ ...received, data: pick(received.data, fields) }, 0)}\n`);
      else if (received.event === 'change') context.out.write(lineOf(received.data, context, fields));
    }
  } finally {
    process.removeListener('SIGINT', onSignal);
  }
  const hints = last === '' ? [] : [`Continue from here: --after-sequence ${last}`];
  throw new CliFailure(exitCodes.interrupted, 'Stopped following.', hints);
}
