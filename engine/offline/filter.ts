import { filterReaders, put } from './filter-readers.ts';
import type { FilterWords } from './filter-words.ts';
import type { Scene } from './plan.ts';
import { type Sentence, withText } from './sentence.ts';

const sorts: [RegExp, NonNullable<FilterWords['sort']>][] = [
  [/,?\s*\b(?:(?:sorted|ordered)\s+)?by (?:priority|urgency)\b|,?\s*\bmost (?:urgent|important) first\b/i, 'priority'],
  [/,?\s*\b(?:(?:sorted|ordered)\s+)?by (?:due date|deadline|date)\b|,?\s*\bsoonest first\b/i, 'dueDate'],
  [/,?\s*\b(?:newest|latest) first\b|\b(?:newest|latest|most recent)\b/i, 'createdAt'],
  [/,?\s*\brecently (?:changed|updated)\b/i, 'updatedAt'],
];

const nouns = /\b(?:todos?|tasks?|action items?|things to do)\b/i;
const everyNoun = new RegExp(nouns, 'gi');

/** A list that is named without “in”: “the Groceries list”, or nothing but its name. */
function readListName(found: FilterWords, { facts }: Scene): void {
  if (found.filter.todoListId !== undefined) return;
  for (const { id, name } of facts.workspace.lists) {
    const words = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+');
    const shape = new RegExp(`(?<![\\p{L}\\d])${words}(?:\\s+(?:todo\\s+)?list(?![\\p{L}\\d])|$)`, 'iu');
    if (!shape.test(found.rest)) continue;
    found.rest = found.rest.replace(shape, ' ');
    put(found, { todoListId: id }, `in the list “${name}”`);
    return;
  }
}

/** Reads the filters that words name: “urgent todos in Groceries due this week”. */
export function readFilter(scene: Scene, sentence: Sentence): FilterWords {
  const found: FilterWords = { filter: {}, phrases: [], rest: sentence.text, isAboutTodos: false, isByName: false };
  for (const [shape, sort] of sorts) {
    if (!shape.test(found.rest)) continue;
    found.rest = found.rest.replace(shape, ' ');
    found.sort = sort;
    break;
  }
  for (const [shape, read] of filterReaders) {
    const matches = shape.global ? [...found.rest.matchAll(shape)] : [shape.exec(found.rest)];
    for (const match of matches) {
      if (!match || !read(match as RegExpExecArray, found, scene, withText(sentence, found.rest))) continue;
      found.rest = `${found.rest.slice(0, match.index)} ${found.rest.slice(match.index + match[0].length)}`;
      break;
    }
  }
  readListName(found, scene);
  found.isByName = nouns.test(found.rest);
  found.isAboutTodos ||= found.isByName;
  found.rest = found.rest.replace(everyNoun, ' ').replaceAll(/\s+/g, ' ').trim();
  return found;
}
