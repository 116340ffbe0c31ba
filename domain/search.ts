import type { Bindings } from '../db/bindings.ts';
import { folded } from './text.ts';

/** The words of a query, folded: each must occur in title or content, as a word or as part of one. */
export function termsOf(query: string): string[] {
  return [...new Set(folded(query).split(/\s+/u).filter(Boolean))];
}

/** The trigram index finds a term by three letters or digits in a row. */
const isIndexed = (term: string) => /[\p{L}\p{N}]{3}/u.test(term);

/** Whether the trigram index can be used for this search. */
export function hasTrigram(terms: readonly string[]): boolean {
  return terms.some(isIndexed);
}

const patternOf = (term: string) => `%${term.replace(/[\\%_]/g, '\\$&')}%`;

/** The conditions on `todo_search s` that every term occurs. */
export function termConditions(terms: readonly string[], bindings: Bindings): string[] {
  return terms.map((term) => {
    const pattern = bindings.bind(patternOf(term));
    return `(s.title like ${pattern} or s.content like ${pattern})`;
  });
}

/** Terms that one scan of the index intersects: each doubles the alternatives. */
const maxIntersected = 3;

/**
 * The same conditions for the trigram index. Each alternative says of every term which column it is in, so that one scan
 * of the index intersects the trigrams of all terms, beginning with the rarest. Of a condition for each term, the planner
 * uses the index for one of them, and reads the texts of everything that this one matches. The longest terms are
 * intersected: they are rarely the frequent ones.
 */
function indexedConditions(terms: readonly string[], bindings: Bindings): string[] {
  const longest = terms.filter(isIndexed).sort((one, other) => other.length - one.length);
  const intersected = longest.slice(0, maxIntersected);
  if (intersected.length < 2) return termConditions(terms, bindings);
  const patterns = intersected.map((term) => bindings.bind(patternOf(term)));
  const alternatives = patterns.reduce<string[][]>(
    (found, pattern) =>
      found.flatMap((each) => ['s.title', 's.content'].map((column) => [...each, `${column} like ${pattern}`])),
    [[]],
  );
  const together = `(${alternatives.map((each) => `(${each.join(' and ')})`).join(' or ')})`;
  const others = terms.filter((term) => !intersected.includes(term));
  return [together, ...termConditions(others, bindings)];
}

/** A common table expression `hits(todo_id)`: the matches of the trigram index in the workspace, before other filters. */
export function hitsOf(terms: readonly string[], bindings: Bindings): string {
  const where = ['s.workspace_id = $1', ...indexedConditions(terms, bindings)];
  return `hits as materialized (select s.todo_id from todo_search s where ${where.join(' and ')})`;
}
