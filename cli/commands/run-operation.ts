import { Names } from '../arguments/names.ts';
import type { Parsed } from '../arguments/parse.ts';
import { buildRequest } from '../arguments/request.ts';
import { ask, canAsk } from '../credentials/prompt.ts';
import { exitCodes } from '../failure.ts';
import { follow, settled, type Telling, workOf } from '../follow/work.ts';
import { type Printing, printingOf, printPage, printThing } from '../output/print.ts';
import type { Calls, RequestParts } from '../service/calls.ts';
import type { OperationCommand } from './command.ts';
import type { World } from './world.ts';

type Thing = Record<string, unknown>;

interface Page extends Thing {
  data: Thing[];
  hasMore: boolean;
  nextCursor: string | null;
}

const largestPage = '100';

/** Walks all pages: each is printed as it comes where lines are wanted, all together otherwise. */
async function printAll(
  { operation }: OperationCommand,
  request: RequestParts,
  calls: Calls,
  world: World,
  printing: Printing,
): Promise<void> {
  const takesLimit = operation.queryFields.some(({ name }) => name === 'limit');
  const query: Record<string, string> = { ...(takesLimit && { limit: largestPage }), ...request.query };
  const inParts = printing.form === 'jsonl' || (printing.form === 'people' && !world.out.isTerminal);
  let first: Page | undefined;
  const rows: Thing[] = [];
  for (let cursor: string | null | undefined = query.cursor; ; ) {
    const { body } = await calls.send(operation, { ...request, query: { ...query, ...(cursor && { cursor }) } });
    const page = body as Page;
    first ??= page;
    if (inParts) printPage(page, operation, world, printing);
    else rows.push(...page.data);
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  if (!inParts) printPage({ ...first, data: rows, hasMore: false, nextCursor: null }, operation, world, printing);
}

/** Says how to go on where a page is not the last. */
function tellOfMore({ nextCursor, totalCount }: Page, { err }: World, printing: Printing): void {
  if (printing.form !== 'people') return;
  if (typeof totalCount === 'number') err.write(`${totalCount} in all.\n`);
  if (nextCursor !== null) err.write(`There is more: --all, or --cursor ${nextCursor}\n`);
}

const tellings: Readonly<Record<Printing['form'], Telling>> = { people: 'people', jsonl: 'events', json: 'nothing' };

/** Calls the operation of a command and prints its answer. The exit code. @throws CliFailure. */
export async function runOperation(
  command: OperationCommand,
  parsed: Parsed,
  calls: Calls,
  world: World,
): Promise<number> {
  const { operation } = command;
  const { general } = parsed;
  const { catalogue, sources, now } = world;
  const printing = printingOf(general, operation);
  const names = new Names(calls, catalogue);
  const askSecret = canAsk() ? (label: string) => ask(`${label}: `, true) : undefined;
  const request = await buildRequest(command, parsed, { catalogue, names, sources, now, askSecret });
  if (operation.streams) {
    const work = {
      chatId: request.path.chatId ?? '',
      after: Number(request.query.afterSequence ?? 0),
      withPeople: true,
    };
    const telling = printing.form === 'people' ? 'people' : 'events';
    return (await follow(work, calls, world, telling)).exitCode;
  }
  if (general.has('all')) {
    await printAll(command, request, calls, world, printing);
    return exitCodes.done;
  }
  const { body } = await calls.send(operation, request);
  if (operation.answer.isList) {
    printPage(body as Page, operation, world, printing);
    tellOfMore(body as Page, world, printing);
    return exitCodes.done;
  }
  const work = general.has('wait') ? workOf(body) : undefined;
  if (!work) {
    if (general.has('wait')) world.err.write('No agent was started: there is nothing to wait for.\n');
    printThing(body as Thing, world, printing);
    return exitCodes.done;
  }
  const outcome = await follow(work, calls, world, tellings[printing.form]);
  if (printing.form === 'json') printThing((await settled(body, outcome, calls, world)) as Thing, world, printing);
  return outcome.exitCode;
}
