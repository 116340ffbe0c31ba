import type { Bindings } from '../db/bindings.ts';
import { folded } from './text.ts';

/** The words of a query, folded: each must occur in title or content, as a word or as part of one. */
export function termsOf(query: string): string[] {
  return [...new Set(folded(query).split(/\s+/u).filter(Boolean))];
}

/** Whether the trigram index finds a term: it does by three letters or digits in a row. */
export function isIndexed(term: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(term);
}

/** Whether the trigram index can be used for this search. */
export function hasTrigram(terms: readonly string[]): boolean {
  return terms.some(isIndexed);
}

/**
 * The conditions on `todo_search s` that every term occurs, for texts that are read anyway. They use no index, and take
 * a fraction of the time of `like`.
 */
export function termConditions(terms: readonly string[], bindings: Bindings): string[] {
  return terms.map((term) => {
    const name = bindings.bind(term);
    return `(strpos(s.title, ${name}) > 0 or strpos(s.content, ${name}) > 0)`;
  });
}
