import { causeOf } from './faults.ts';
import { readFilter } from './filter.ts';
import { type Filter, type FilterWords, filterText, queryText } from './filter-words.ts';
import { type Call, first, type Plan, respond, type Scene } from './plan.ts';
import { type Counted, maxRows, numbered, pageOf } from './rows.ts';
import { quotesIn, type Sentence, withText, written } from './sentence.ts';

/** The call of list_todos for a filter; `more` has its sort and limit. */
export function listCall(filter: Filter, more: Record<string, unknown> = {}): Call {
  return { name: 'list_todos', input: { ...filter, ...more } };
}

const words =
  /\b(?:show|list|display|find|give|get|tell|see|view|search|look|for|up|me|us|the|my|our|all|of|any|every|a|an|is|are|there|do|does|did|i|we|you|have|has|had|got|to|on|at|in|be|that|which|what|who|and|with|need|should|work|next|first|must|can|still|currently|plate|list|lists|agenda|things?|something|anything|everything|items?|ones?|some|first|please|now|todo)\b/gi;

/** What is left when the words of every such request are taken away. */
function remainder(text: string): string {
  return text
    .replaceAll(words, ' ')
    .replaceAll(/[\s?.!,:;]+/g, ' ')
    .trim();
}

const about =
  /\b(?:about|containing|contain|matching|mentioning|mention|regarding|concerning|related to|with the words?|with the title|called|named|titled)\s+(?:the\s+)?(.+)$/i;
const search = /^(?:find|search(?:\s+for)?|look\s+for|look\s+up|where\s+is)\s+(.+)$/i;

const tailStart =
  /\s+(?=(?:due|overdue|in|on|from|for|assigned|unassigned|created|changed|that|which|with|by|sorted)\b)/gi;

/** What is searched for, and the filters behind it: “invoices due this week”. */
function readSubject(scene: Scene, sentence: Sentence): { query: string; tail: FilterWords | undefined } {
  const { text } = sentence;
  for (const { index } of text.matchAll(tailStart)) {
    const tail = readFilter(scene, withText(sentence, text.slice(index)));
    if (tail.isAboutTodos && remainder(tail.rest) === '') return { query: text.slice(0, index), tail };
  }
  return { query: text, tail: undefined };
}

/** The filter of a request, with the words to search for; `isGuess` when nothing marks them as words to search for. */
function wanted(scene: Scene, sentence: Sentence): FilterWords & { isGuess: boolean } {
  const match = about.exec(sentence.text);
  const head = readFilter(scene, withText(sentence, match ? sentence.text.slice(0, match.index) : sentence.text));
  if (match) {
    const { query, tail } = readSubject(scene, withText(sentence, match[1] ?? ''));
    const filter = { ...head.filter, ...tail?.filter, query: queryText(written(sentence, query)) };
    return { ...head, isGuess: false, filter, phrases: [...head.phrases, ...(tail?.phrases ?? [])] };
  }
  const quoted = quotesIn(sentence, head.rest).join(' ');
  const query = quoted || remainder(head.rest);
  const isGuess = quoted === '' && query !== '' && !head.isByName;
  return { ...head, isGuess, filter: { ...head.filter, ...(query !== '' && { query: queryText(query) }) } };
}

function listPlan(scene: Scene, found: FilterWords, limit = maxRows): Plan {
  const { filter, sort } = found;
  const order = sort === 'priority' || sort === 'createdAt' || sort === 'updatedAt' ? 'desc' : 'asc';
  const sorted = sort ?? (filter.query === undefined && !filter.includeArchived ? 'dueDate' : undefined);
  const call = listCall(filter, { ...(sorted && { sort: sorted, order }), limit });
  return first([call], ([done]) => {
    const page = done && !done.isError ? pageOf(done.output) : undefined;
    if (!done || !page) return respond(`I could not list the todos: ${done ? causeOf(done) : 'there is no answer'}.`);
    if (page.total === 0) return respond(`There are no ${filterText(found, 0).replace(/^0 /, '')}.`, { isDone: true });
    const { text, rows } = numbered(page.rows, page.total, scene.today);
    const verb = page.total === 1 ? 'There is' : 'There are';
    return respond(`${verb} ${filterText(found, page.total)}:\n\n${text}`, { isDone: true, rows });
  });
}

function statusText({ byStatus, active }: Counted): string {
  const { ready = 0, in_progress: started = 0, done = 0 } = byStatus;
  return `${active} open (${ready} ready, ${started} in progress) and ${done} done`;
}

function countPlan(found: FilterWords): Plan {
  return first([listCall(found.filter, { limit: 1 })], ([done]) => {
    const page = done && !done.isError ? pageOf(done.output) : undefined;
    if (!done || !page) return respond(`I could not count the todos: ${done ? causeOf(done) : 'there is no answer'}.`);
    const verb = page.total === 1 ? 'There is' : 'There are';
    const split =
      found.filter.status === undefined && page.counted && page.total > 0 ? `: ${statusText(page.counted)}` : '';
    return respond(`${verb} ${filterText(found, page.total)}${split}.`, { isDone: true });
  });
}

const shows =
  /^(?:show|list|display|give|get|tell|see|view|what|which|who|where|are there|is there|do (?:i|we)|have (?:i|we)|any|anything|all|my|open|urgent|overdue|todos?|tasks?|everything)\b/i;
const counts = /^(?:how many|count|(?:what is |give me )?(?:the )?number of|total(?: number)? of)\b\s*/i;
const loose =
  /^(?:what (?:is|are) (?:on|left|next|up|open)|what (?:do|should|must|can) (?:i|we) (?:have|need|do|work)|what have i got|(?:is|are) (?:there )?any(?:thing)?\b|any(?:thing)? |what is (?:urgent|due|overdue|important)|my (?:plate|day|week|agenda)|what is my)/i;

/** Requests to see or count todos: “what is due this week?”, “find todos about invoices”, “how many are open?”. */
export function readListing(scene: Scene, sentence: Sentence): Plan | undefined {
  const { text } = sentence;
  if (text.includes('\n')) return undefined;
  const counted = counts.exec(text);
  if (counted) {
    const found = wanted(scene, withText(sentence, text.slice(counted[0].length)));
    const isPlain = !found.isGuess && (found.isAboutTodos || /^(?:do|are|have)\b/.test(found.rest));
    return isPlain ? countPlan(found) : undefined;
  }
  const sought = search.exec(text);
  if (sought) {
    const found = wanted(scene, withText(sentence, sought[1] ?? ''));
    return found.isAboutTodos || !scene.isRun ? listPlan(scene, found) : undefined;
  }
  const isLoose = !scene.isRun && loose.test(text);
  if (!shows.test(text) && !isLoose) return undefined;
  const found = wanted(scene, sentence);
  if (found.isGuess || (!found.isAboutTodos && !isLoose)) return undefined;
  const { status, includeArchived, query, createdSince, updatedSince } = found.filter;
  const others = [status, includeArchived, query, createdSince, updatedSince];
  const isOpen = others.every((each) => each === undefined) && !/\b(?:all|every|everything)\b/i.test(text);
  const next = /\b(?:should|next|first)\b/i.test(text) && found.filter.dueBefore === undefined;
  const whole: FilterWords = { ...found, filter: isOpen ? { ...found.filter, status: 'active' } : found.filter };
  if (next) whole.sort = 'priority';
  return listPlan(scene, whole);
}
