import type { Bindings } from '../db/bindings.ts';
import { folded } from './text.ts';

/** The words of a query, folded: each must occur in title or content, as a word or as part of one. */
export function termsOf(query: string): string[] {
  return [...new Set(folded(query).split(/\s+/u).filter(Boolean))];
}

/** Whether the trigram index can be used for this search: it needs three letters or digits in a row. */
export function hasTrigram(terms: readonly string[]): boolean {
  return terms.some((term) => /[\p{L}\p{N}]{3}/u.test(term));
}

/** The conditions on `todo_search s` that every term occurs. */
export function termConditions(terms: readonly string[], bindings: Bindings): string[] {
  return terms.map((term) => {
    const pattern = bindings.bind(`%${term.replace(/[\\%_]/g, '\\$&')}%`);
    return `(s.title like ${pattern} or s.content like ${pattern})`;
  });
}

/** A common table expression `hits(todo_id)`: the matches of the trigram index in the workspace, before other filters. */
export function hitsOf(workspaceId: string, terms: readonly string[], bindings: Bindings): string {
  const where = [`s.workspace_id = ${bindings.bind(workspaceId)}`, ...termConditions(terms, bindings)];
  return `hits as materialized (select s.todo_id from todo_search s where ${where.join(' and ')})`;
}
