import type { Context, General } from '../commands/invocation.ts';
import type { CatalogueOperation } from '../model/catalogue.ts';
import { closest } from '../model/closest.ts';
import { usage } from '../model/failure.ts';
import { safeJson } from '../terminal/safe.ts';
import { block } from './block.ts';
import { columnsOf, filledColumns } from './columns.ts';
import { tabbed, table } from './table.ts';

type Thing = Readonly<Record<string, unknown>>;

export interface Printing {
  form: 'json' | 'jsonl' | 'people';
  /** The fields of --fields, in order. */
  fields: readonly string[] | undefined;
}

/** @throws CliFailure 2 for --fields beside the work of an agent, which is printed whole. */
export function refuseFields(general: General, ...hints: string[]): void {
  if (general.has('fields'))
    throw usage('--fields does not go with the work of an agent: it is printed whole.', ...hints);
}

/** How to print a response. @throws CliFailure 2 for fields that it does not have. */
export function printingOf(general: General, { answer, streams, pathFields }: CatalogueOperation): Printing {
  if (general.has('json') && general.has('jsonl')) throw usage('Choose one of --json and --jsonl.');
  const form = general.has('json') ? 'json' : general.has('jsonl') ? 'jsonl' : 'people';
  if (streams && pathFields.length > 0) refuseFields(general);
  if (general.has('wait') && form !== 'json') {
    refuseFields(general, 'Use --wait --json, which prints the resource when the agent has stopped.');
  }
  const requested = general.get('fields');
  if (typeof requested !== 'string') return { form, fields: undefined };
  const fields = requested
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  // The messages that --wait adds.
  const known = general.has('wait') && form === 'json' ? [...answer.fields, 'messages'] : answer.fields;
  const unknown = answer.fields.length > 0 ? fields.find((name) => !known.includes(name)) : undefined;
  if (unknown === undefined) return { form, fields };
  const near = closest(unknown, known);
  throw usage(`There is no field “${unknown}”.`, near ? `Did you mean ${near}?` : `There are: ${known.join(', ')}.`);
}

/** Only these fields of a resource. */
export const pick = (thing: Thing, fields: readonly string[] | undefined): Thing =>
  fields ? Object.fromEntries(fields.map((name) => [name, thing[name]])) : thing;

function printRows(
  rows: readonly Thing[],
  operation: CatalogueOperation,
  { out, now }: Context,
  { fields }: Printing,
): void {
  const names = fields ?? columnsOf(operation.answer.fields);
  if (!out.isTerminal) out.write(tabbed(names, rows));
  else out.write(table(fields ?? filledColumns(names, rows), rows, out, now));
}

/** Prints one page of a list. */
export function printPage(page: Thing, operation: CatalogueOperation, context: Context, printing: Printing): void {
  const { out } = context;
  const rows = page.data as Thing[];
  if (printing.form === 'json') {
    const shown = printing.fields ? { ...page, data: rows.map((row) => pick(row, printing.fields)) } : page;
    out.write(`${safeJson(shown, out.isTerminal ? 2 : 0)}\n`);
  } else if (printing.form === 'jsonl') {
    for (const row of rows) out.write(`${safeJson(pick(row, printing.fields), 0)}\n`);
  } else printRows(rows, operation, context, printing);
}

/** Prints one resource. */
export function printThing(thing: Thing, { out, now }: Context, { form, fields }: Printing): void {
  if (form === 'json') out.write(`${safeJson(pick(thing, fields), out.isTerminal ? 2 : 0)}\n`);
  else if (form === 'jsonl') out.write(`${safeJson(pick(thing, fields), 0)}\n`);
  else out.write(block(thing, out, out.isTerminal ? now : undefined, fields));
}
