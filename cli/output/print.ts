import type { General } from '../arguments/parse.ts';
import type { CatalogueOperation } from '../catalogue.ts';
import { closest } from '../commands/closest.ts';
import type { World } from '../commands/world.ts';
import { usage } from '../failure.ts';
import { block } from './block.ts';
import { columnsOf, filledColumns } from './columns.ts';
import { safeJson } from './safe.ts';
import { tabbed, table } from './table.ts';

type Thing = Readonly<Record<string, unknown>>;

export interface Printing {
  form: 'json' | 'jsonl' | 'people';
  /** Fields that were asked for, in their order. */
  fields: readonly string[] | undefined;
}

/** How an answer is to be printed. @throws CliFailure 2 for fields that it does not have. */
export function printingOf(general: General, { answer }: CatalogueOperation): Printing {
  if (general.has('json') && general.has('jsonl')) throw usage('Choose one of --json and --jsonl.');
  const form = general.has('json') ? 'json' : general.has('jsonl') ? 'jsonl' : 'people';
  const asked = general.get('fields');
  if (typeof asked !== 'string') return { form, fields: undefined };
  const fields = asked
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const unknown = answer.fields.length > 0 ? fields.find((name) => !answer.fields.includes(name)) : undefined;
  if (unknown === undefined) return { form, fields };
  const near = closest(unknown, answer.fields);
  throw usage(
    `There is no field “${unknown}”.`,
    near ? `Did you mean ${near}?` : `There are: ${answer.fields.join(', ')}.`,
  );
}

const pick = (thing: Thing, fields: readonly string[] | undefined): Thing =>
  fields ? Object.fromEntries(fields.map((name) => [name, thing[name]])) : thing;

function printRows(
  rows: readonly Thing[],
  operation: CatalogueOperation,
  { out, now }: World,
  { fields }: Printing,
): void {
  const names = fields ?? columnsOf(operation.answer.fields);
  if (!out.isTerminal) out.write(tabbed(names, rows));
  else out.write(table(fields ?? filledColumns(names, rows), rows, out, now));
}

/** Prints one page of a list as it came. */
export function printPage(page: Thing, operation: CatalogueOperation, world: World, printing: Printing): void {
  const { out } = world;
  const rows = page.data as Thing[];
  if (printing.form === 'json') {
    const shown = printing.fields ? { ...page, data: rows.map((row) => pick(row, printing.fields)) } : page;
    out.write(`${safeJson(shown, out.isTerminal ? 2 : 0)}\n`);
  } else if (printing.form === 'jsonl') {
    for (const row of rows) out.write(`${safeJson(pick(row, printing.fields), 0)}\n`);
  } else printRows(rows, operation, world, printing);
}

/** Prints one resource. */
export function printThing(thing: Thing, { out, now }: World, { form, fields }: Printing): void {
  if (form === 'json') out.write(`${safeJson(pick(thing, fields), out.isTerminal ? 2 : 0)}\n`);
  else if (form === 'jsonl') out.write(`${safeJson(pick(thing, fields), 0)}\n`);
  else out.write(block(thing, out, out.isTerminal ? now : undefined, fields));
}
