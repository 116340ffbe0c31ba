import type { Bindings } from '../../db/bindings.ts';
import { inSearchPart } from '../../db/schema/columns.ts';
import { isIndexed, termConditions } from '../search.ts';

/** Terms that a scan of the index intersects. Of more, others are compared with the texts that these leave. */
const maxIntersected = 3;

/** What the index holds: as no term contains a space, it is in this text if it is in the title or in the content. */
const indexedText = `(s.title || ' ' || s.content)`;

const patternOf = (term: string) => `%${term.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * The conditions on `todo_search s` that every term occurs, for the trigram index. One scan intersects the trigrams of
 * the longest terms, which are rarely the frequent ones.
 */
function indexedConditions(terms: readonly string[], bindings: Bindings): string[] {
  const longest = terms.filter(isIndexed).sort((one, other) => other.length - one.length);
  const intersected = longest.slice(0, maxIntersected);
  const others = terms.filter((term) => !intersected.includes(term));
  return [
    ...intersected.map((term) => `${indexedText} like ${bindings.bind(patternOf(term))}`),
    ...termConditions(others, bindings),
  ];
}

/**
 * A common table expression `hits(todo_id)`: the matches of the trigram index in the workspace, which is `$1`, before
 * other filters.
 */
export function hitsOf(workspaceId: string, terms: readonly string[], bindings: Bindings): string {
  const part = inSearchPart('s.workspace_id', workspaceId);
  const where = ['s.workspace_id = $1', part, ...indexedConditions(terms, bindings)];
  return `hits as materialized (select s.todo_id from todo_search s where ${where.join(' and ')})`;
}
