import { Names } from './arguments/names.ts';
import { buildRequest } from './arguments/request.ts';
import type { OperationCommand } from './commands/command.ts';
import type { Context, Parsed } from './commands/invocation.ts';
import { followChanges } from './follow/changes.ts';
import { type FollowOutput, follow, settled, workOf } from './follow/work.ts';
import { exitCodes } from './model/failure.ts';
import { type Printing, printingOf, printPage, printThing } from './output/print.ts';
import type { Calls, RequestParts } from './service/calls.ts';
import { bodyOf } from './sign-in/answered-session.ts';
import { ask, canAsk } from './terminal/interactive.ts';

type Thing = Record<string, unknown>;

interface Page extends Thing {
  data: Thing[];
  hasMore: boolean;
  nextCursor: string | null;
}

const largestPage = '100';

/** Reads all pages. Line formats print each page at once; others print one list at the end. */
async function printAll(
  { operation }: OperationCommand,
  request: RequestParts,
  calls: Calls,
  context: Context,
  printing: Printing,
): Promise<void> {
  const takesLimit = operation.queryFields.some(({ name }) => name === 'limit');
  const query: Record<string, string> = { ...(takesLimit && { limit: largestPage }), ...request.query };
  const inParts = printing.form === 'jsonl' || (printing.form === 'people' && !context.out.isTerminal);
  // The fields of a page beside its items, such as where to continue, are about the end of that page: those of the last
  // page are printed.
  let last: Page | undefined;
  const rows: Thing[] = [];
  for (let cursor: string | null | undefined = query.cursor; ; ) {
    const { body } = await calls.send(operation, { ...request, query: { ...query, ...(cursor && { cursor }) } });
    const page = body as Page;
    last = page;
    if (inParts) printPage(page, operation, context, printing);
    else rows.push(...page.data);
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  if (!inParts) printPage({ ...last, data: rows, hasMore: false, nextCursor: null }, operation, context, printing);
}

/** Flags with the instants that were sent, for times that were typed in another form, such as `-24h`. */
function fixedTimes({ given }: Parsed, { query }: RequestParts): string[] {
  const times = given.filter(({ by: { shape, target } }) => shape.format === 'date-time' && target.place === 'query');
  return times.flatMap(({ by: { target }, shown, text }) => {
    const sent = query?.[target.path[0] ?? ''];
    return sent === undefined || sent === text ? [] : [`${shown} ${sent}`];
  });
}

/**
 * Prints the total and the flags for the next page. A cursor needs the same times, and `-24h` would be another instant
 * by then.
 */
function printNextPageHint({ nextCursor, totalCount }: Page, times: string[], { err }: Context): void {
  if (typeof totalCount === 'number') err.write(`${totalCount} in all.\n`);
  if (nextCursor !== null) err.write(`More results: --all, or ${[...times, `--cursor ${nextCursor}`].join(' ')}\n`);
}

const followOutputs: Readonly<Record<Printing['form'], FollowOutput>> = {
  people: 'people',
  jsonl: 'events',
  json: 'none',
};

/** Calls the operation of a command and prints the response. Returns the exit code. @throws CliFailure. */
export async function runOperation(
  command: OperationCommand,
  parsed: Parsed,
  calls: Calls,
  context: Context,
): Promise<number> {
  const { operation } = command;
  const { general } = parsed;
  const { catalogue, sources, now } = context;
  const printing = printingOf(general, operation);
  const names = new Names(calls, context);
  const askSecret = canAsk() ? (label: string) => ask(`${label}: `, true) : undefined;
  const request = await buildRequest(command, parsed, { catalogue, names, sources, now, askSecret });
  if (operation.streams && request.path.chatId === undefined) {
    return followChanges(operation, request.query, calls, context, printing);
  }
  if (operation.streams) {
    const work = {
      chatId: request.path.chatId ?? '',
      after: Number(request.query.afterSequence ?? 0),
      withUserMessages: true,
    };
    const mode = printing.form === 'people' ? 'people' : 'events';
    return (await follow(work, calls, context, mode)).exitCode;
  }
  if (general.has('all')) {
    await printAll(command, request, calls, context, printing);
    return exitCodes.done;
  }
  const body = await bodyOf(operation, () => calls.send(operation, request), parsed, context);
  if (operation.answer.isList) {
    printPage(body as Page, operation, context, printing);
    if (printing.form === 'people') printNextPageHint(body as Page, fixedTimes(parsed, request), context);
    return exitCodes.done;
  }
  const work = general.has('wait') ? workOf(body) : undefined;
  if (!work) {
    if (general.has('wait')) context.err.write('No agent was started, so --wait has no effect.\n');
    printThing(body as Thing, context, printing);
    return exitCodes.done;
  }
  const outcome = await follow(work, calls, context, followOutputs[printing.form]);
  if (printing.form === 'json') printThing((await settled(body, outcome, calls, context)) as Thing, context, printing);
  return outcome.exitCode;
}
