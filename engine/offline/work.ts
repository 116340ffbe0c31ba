import { folded } from '../../domain/text.ts';
import { causeOf } from './faults.ts';
import { type Filter, type FilterWords, filterText, queryText } from './filter-words.ts';
import { listCall } from './listing.ts';
import { type Done, first, type Plan, respond, type Scene } from './plan.ts';
import { numbered, pageOf, quote, type Row, titleOf } from './rows.ts';
import type { Target } from './targets.ts';

/** Most todos that one request changes. */
const maxChanged = 50;

function isSame(row: Row, words: string): boolean {
  return folded((row.title ?? row.content ?? '').trim()) === folded(words.trim());
}

function mentions(row: Row, words: string): boolean {
  const title = folded(row.title ?? row.content ?? '');
  return folded(words)
    .split(/\s+/)
    .every((word) => title.includes(word));
}

interface Hit {
  chosen?: Row;
  candidates: Row[];
  total: number;
}

/** The one todo that is meant, or those that may be. A match in the content alone is not certain. */
function hitOf(rows: readonly Row[], total: number, words: string): Hit {
  const same = rows.filter((row) => isSame(row, words));
  if (same[0] && same.length === 1) return { chosen: same[0], candidates: [], total };
  if (same.length > 1) return { candidates: same, total: same.length };
  const mentioning = rows.filter((row) => mentions(row, words));
  if (mentioning[0] && mentioning.length === 1 && total <= rows.length)
    return { chosen: mentioning[0], candidates: [], total };
  return mentioning.length > 0 && total <= rows.length
    ? { candidates: mentioning, total: mentioning.length }
    : { candidates: [...rows], total };
}

/** What is done with the todos that are meant. */
export interface Work {
  /** “complete”, for questions. */
  verb: string;
  /** Only todos of this filter come into question: open ones for completing. */
  filter: Filter;
  /** A part of the title does not suffice: the words must be the title, or be marked as a todo. */
  isCautious?: boolean;
  /** The answer for a todo that fits but for that filter, such as “is done already”. */
  otherwise?: string;
  act(rows: readonly Row[]): Plan;
}

function askWhich(scene: Scene, work: Work, words: string, { candidates, total }: Hit): Plan {
  const { text, rows } = numbered(candidates, total, scene.today);
  const one = rows.length === 1;
  const question = one
    ? `I found one todo that may be meant by ${quote(words)}. Shall I ${work.verb} it?`
    : `Several todos match ${quote(words)}. Which one shall I ${work.verb}?`;
  const how = one
    ? 'Answer “yes”, or tell me the title.'
    : 'Answer with a number, or with the title in quotation marks.';
  return respond(`${question}\n\n${text}\n\n${how}`, { rows, choose: (chosen) => work.act(chosen) });
}

/** What a search found; the todo of a run never finds itself. */
function hitIn(scene: Scene, done: Done | undefined, words: string): Hit {
  const page = pageOf(done?.output) ?? { rows: [], total: 0 };
  const own = scene.isRun ? scene.facts.todo?.id : undefined;
  const rows = page.rows.filter(({ id }) => id !== own);
  return hitOf(rows, page.total - (page.rows.length - rows.length), words);
}

/** Nothing fits: a todo in another state is then named. */
function explainNone(scene: Scene, work: Work, words: readonly string[], scope: Filter): Plan {
  const none = (missing: readonly string[]) =>
    respond(`I found no todo that matches ${missing.map((each) => quote(each)).join(' or ')}, so I changed nothing.`);
  if (!work.otherwise) return none(words);
  const calls = words.map((each) => listCall({ ...scope, query: queryText(each) }, { limit: maxChanged }));
  return first(calls, (done) => {
    const found = words.map((each, place) => hitIn(scene, done[place], each).chosen);
    const missing = words.filter((_, place) => !found[place]);
    const known = found.flatMap((row) => (row ? `${titleOf(row)} ${work.otherwise}, so I changed nothing.` : []));
    return missing.length === 0 ? respond(known.join('\n')) : none(missing);
  });
}

function searchPlan(scene: Scene, work: Work, { words, filter, isCertain }: Extract<Target, { kind: 'search' }>): Plan {
  const scope = { ...work.filter, ...filter };
  const calls = words.map((each) => listCall({ ...scope, query: queryText(each) }, { limit: maxChanged }));
  return first(calls, (done) => {
    const failed = done.find((each) => each.isError || !pageOf(each.output));
    if (failed) return respond(`I could not look for the todo: ${causeOf(failed)}. I changed nothing.`);
    const hits = words.map((each, place): Hit => {
      const hit = hitIn(scene, done[place], each);
      const isSure = !hit.chosen || isCertain || !work.isCautious || isSame(hit.chosen, each);
      return isSure || !hit.chosen ? hit : { candidates: [hit.chosen], total: 1 };
    });
    const missing = words.filter((_, place) => !hits[place]?.chosen && hits[place]?.candidates.length === 0);
    if (missing.length > 0) return explainNone(scene, work, missing, filter);
    const unclear = hits.findIndex(({ chosen }) => !chosen);
    const hit = hits[unclear];
    if (hit) return askWhich(scene, work, words[unclear] ?? '', hit);
    return work.act(hits.flatMap(({ chosen }) => chosen ?? []));
  });
}

/** All that a filter matches; asked first when there is no filter. */
function allPlan(scene: Scene, work: Work, found: FilterWords): Plan {
  const filter = { ...work.filter, ...found.filter };
  const isBare = Object.keys(found.filter).length === 0;
  return first([listCall(filter, { limit: maxChanged })], ([done]) => {
    const page = done && !done.isError ? pageOf(done.output) : undefined;
    if (!done || !page)
      return respond(`I could not look for the todos: ${done ? causeOf(done) : 'there is no answer'}.`);
    const filtered = filterText({ ...found, filter }, page.total);
    if (page.total === 0) return respond(`There are no ${filtered.replace(/^0 /, '')}, so I changed nothing.`);
    if (page.total > page.rows.length) {
      return respond(
        `That would be ${filtered}, and I ${work.verb} at most ${maxChanged} at once. Name fewer: by list, due date or words.`,
      );
    }
    if (!isBare) return work.act(page.rows);
    const { text } = numbered(page.rows, page.total, scene.today);
    const question = `That would ${work.verb} ${filtered}:\n\n${text}\n\nAnswer “all” if you want that, or with the numbers of some.`;
    return respond(question, { rows: page.rows, choose: (chosen) => work.act(chosen) });
  });
}

/** Finds the todos that are meant and applies the work; asks the person when that is not clear. */
export function workOn(scene: Scene, target: Target, work: Work): Plan {
  if (target.kind === 'unknown') return respond(target.question);
  if (target.kind === 'all') return allPlan(scene, work, target.found);
  if (target.kind === 'search') return searchPlan(scene, work, target);
  return target.rows.length === 0 ? respond('There is no such todo in the last list.') : work.act(target.rows);
}
