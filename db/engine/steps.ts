import { type WithoutSettings, withoutSettings } from './local-settings.ts';
import { byText, type Part, type Parts, partsOf, refersTo } from './parts.ts';
import { placements } from './placement.ts';

/**
 * One of the statements as which a statement is sent. `takes`: results of steps before, by their names. `name`: what it
 * is called in later ones; the last step has none.
 */
export interface Step extends WithoutSettings {
  name: string | undefined;
  /** Names for its columns, in parentheses; else empty. */
  columns: string;
  takes: string[];
  needsNow: boolean;
}

/** `text` has `$n` of the whole statement. */
function stepOf(name: string | undefined, columns: string, text: string, takes: string[]): Step {
  const bare = withoutSettings(text);
  return { ...bare, name, columns, takes, needsNow: needsNow(bare.text) };
}

/** The tables that a text names. Columns and relations of the same name are taken for tables. */
function placesIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z_]+/g) ?? [];
  return new Set(words.flatMap((word) => placements.get(word)?.placement ?? []));
}

/** Whether Citus plans it: it names a table that is not of the coordinator alone. */
function isOfWorkers(text: string): boolean {
  const places = placesIn(text);
  return places.has('distributed') || places.has('reference');
}

const locks = /\bfor (no key )?(update|share)\b/i;

/** Expressions and clauses in which Citus takes no function that is not immutable, and instants within a statement. */
const refusesNow = /\b(case|coalesce|nullif|greatest|conflict)\b|\bclock_timestamp\b|\breturning\b[\s\S]*\bnow\b/i;
const now = /\b(now|clock_timestamp)\(\)/i;

function needsNow(text: string): boolean {
  return /\b(insert|update|delete)\b/i.test(text) && now.test(text) && refusesNow.test(text) && isOfWorkers(text);
}

/** The queries of a list that a query needs, in their order. Those in `made` have been sent already. */
function neededBy(
  query: string,
  before: readonly Part[],
  made: ReadonlySet<string>,
): { list: Part[]; takes: string[] } {
  const names = new Set<string>();
  const takes = new Set<string>();
  const look = (text: string, upTo: number) => {
    for (let place = upTo - 1; place >= 0; place--) {
      const part = before[place];
      if (!part || names.has(part.name) || !refersTo(text, part.name)) continue;
      if (made.has(part.name)) takes.add(part.name);
      else {
        names.add(part.name);
        look(part.body, place);
      }
    }
  };
  look(query, before.length);
  return { list: before.filter(({ name }) => names.has(name)), takes: [...takes] };
}

function listed({ name, columns, as, body }: Part): string {
  return `${name}${columns}${as}(${body})`;
}

/** Whether a part reads the result of one that changes rows, itself or by others. */
function followsChange(part: Part, before: readonly Part[]): boolean {
  return before.some(
    (each, place) => refersTo(part.body, each.name) && (each.changes || followsChange(each, before.slice(0, place))),
  );
}

/**
 * The order in which the parts are sent. All of a statement see the rows as they were before it: what reads without
 * needing a change is sent first, where more than the first change needs it.
 */
function sentParts({ list, main }: Parts): Set<string> {
  const firstChange = list.findIndex(({ changes }) => changes);
  const isSent = (part: Part, place: number) => {
    if (part.changes) return true;
    const readers = list.filter(({ body }, other) => other > place && refersTo(body, part.name));
    const inMain = refersTo(main, part.name);
    if (readers.length === 0 && !inMain) return false;
    const isOfFirst = !inMain && readers.length === 1 && readers[0] === list[firstChange];
    // Citus locks no rows in what it inserts from.
    const locksForInsert = locks.test(part.body) && /^insert\b/i.test(readers[0]?.body ?? '');
    return !isOfFirst || locksForInsert;
  };
  return new Set(list.filter(isSent).map(({ name }) => name));
}

function withList(list: readonly Part[], isRecursive: boolean, query: string): string {
  if (list.length === 0) return query;
  return `with ${isRecursive ? 'recursive ' : ''}${list.map(listed).join(', ')} ${query}`;
}

/** The steps as which the parts are sent. */
function stepsOfParts(parts: Parts): Step[] {
  const { list, main, isRecursive } = parts;
  const sent = sentParts(parts);
  const ordered = [
    ...list.filter((part, place) => sent.has(part.name) && !part.changes && !followsChange(part, list.slice(0, place))),
    ...list.filter((part, place) => sent.has(part.name) && (part.changes || followsChange(part, list.slice(0, place)))),
  ];
  const made = new Set<string>();
  const steps: Step[] = [];
  for (const part of ordered) {
    const needed = neededBy(part.body, list.slice(0, list.indexOf(part)), made);
    const isOwn = isRecursive && refersTo(part.body, part.name);
    const text = isOwn
      ? withList([...needed.list, part], true, `select * from ${part.name}`)
      : withList(needed.list, isRecursive, part.body);
    const columns = isOwn ? '' : part.columns;
    steps.push(stepOf(part.name, columns, text, needed.takes));
    made.add(part.name);
  }
  const needed = neededBy(main, list, made);
  const text = withList(needed.list, isRecursive, main);
  steps.push(stepOf(undefined, '', text, needed.takes));
  return steps;
}

function stepsOfText(text: string): Step[] | null {
  if (!isOfWorkers(text)) return null;
  const parts = partsOf(text);
  if (parts?.list.some(({ changes }) => changes)) return stepsOfParts(parts);
  const whole = stepOf(undefined, '', text, []);
  return whole.needsNow || whole.text !== text ? [whole] : null;
}

/** The steps as which Citus gets a statement; null: it is sent as it is. */
export const stepsOf = byText(stepsOfText);
