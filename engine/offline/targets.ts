import { readFilter } from './filter.ts';
import { type Filter, type FilterWords, queryText } from './filter-words.ts';
import { knownList } from './names.ts';
import type { Scene } from './plan.ts';
import type { Row } from './rows.ts';
import { isQuoted, quotesIn, type Sentence, withText, written } from './sentence.ts';

/** Which todos a request is about. */
export type Target =
  | { kind: 'ids'; rows: readonly Row[] }
  | { kind: 'search'; words: readonly string[]; isCertain: boolean; filter: Filter }
  | { kind: 'all'; found: FilterWords }
  | { kind: 'unknown'; question: string };

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const numberWords = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Places, from 0, that words such as “2 and 3”, “the second one” or “both” name among `count` rows. */
export function placesOf(words: string, count: number): number[] | undefined {
  const text = words
    .toLowerCase()
    .trim()
    .replace(/^(?:the|number|no\.|nr\.?|todos?|tasks?|it is|i mean|i meant)\s+/g, '');
  if (count > 0 && /^(?:all|both|all of (?:them|these|those)|them all|everything)$/.test(text))
    return [...Array(count).keys()];
  if (
    count === 1 &&
    /^(?:yes|yes please|yep|yeah|sure|ok|okay|correct|right|that one|that is it|it|do it|go ahead)$/.test(text)
  )
    return [0];
  if (/^(?:the )?last(?: one)?$/.test(text)) return count > 0 ? [count - 1] : undefined;
  const parts = text.split(/\s*(?:,|&|\band\b)\s*/).filter((part) => part !== '');
  const places = parts.map((part) => {
    const word = part
      .replace(/^(?:the|number|no\.?|#)\s*/, '')
      .replace(/\s+(?:one|todo|task)$/, '')
      .replace(/[.)]$/, '');
    const ordinal = Math.max(ordinals.indexOf(word), numberWords.indexOf(word));
    if (ordinal >= 0) return ordinal;
    const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word);
    return digits ? Number(digits[1]) - 1 : -1;
  });
  const isSound = places.length > 0 && places.every((place) => place >= 0 && place < count);
  return isSound ? [...new Set(places)] : undefined;
}

const pronoun =
  /^(?:it|that|this|that one|this one|(?:this|that|the|my) (?:todo|task|item)|the (?:last|same) (?:one|todo|task))$/i;
const noun = '(?:todos?|tasks?|items?|reminders?)';
const lead = new RegExp(
  `^(?:the\\s+|my\\s+|our\\s+|a\\s+|an\\s+)?(?:${noun}\\s+(?:(?:called|named|titled|about|for|to|with the title|that says)\\s+)?:?\\s*)?`,
  'i',
);
const trail = new RegExp(
  `(?:\\s+(?:${noun}|one))?(?:\\s+(?:off|from|on)\\s+(?:(?:my|the)\\s+)?(?:todo\\s+)?list)?$`,
  'i',
);
const ordinal = new RegExp(`^(?:the\\s+)?(?:${ordinals.join('|')}|last)(?:\\s+(?:one|todo|task))?$|^#?\\d{1,2}$`, 'i');
const every = /^(?:all|every|everything|each)\b(?:\s+of)?(?:\s+(?:the|my|our|these|those))?\s*/i;

function pronounTarget({ memory, facts }: Scene, words: string): Target {
  const isThis = /^this|^the (?:todo|task)$|^my/i.test(words);
  const id = isThis && facts.todo ? facts.todo.id : (memory.todoId ?? facts.todo?.id);
  if (id !== undefined) return { kind: 'ids', rows: [{ id }] };
  return {
    kind: 'unknown',
    question: `I do not know which todo you mean by “${words}”. Tell me its title, in quotation marks.`,
  };
}

/** The todos that words name. In the text of a run they must be quoted or called todos; undefined otherwise. */
export function targetOf(scene: Scene, sentence: Sentence): Target | undefined {
  const text = sentence.text.trim();
  if (text === '') return undefined;
  if (uuid.test(text)) return { kind: 'ids', rows: [{ id: text.toLowerCase() }] };
  if (pronoun.test(text)) return scene.isRun ? undefined : pronounTarget(scene, text);
  const { rows } = scene.memory;
  const places = placesOf(text, rows.length);
  if (places) return { kind: 'ids', rows: places.flatMap((place) => rows[place] ?? []) };
  if (ordinal.test(text)) {
    return {
      kind: 'unknown',
      question: `I do not know which todo you mean by “${text}”. Ask for a list first, or tell me the title.`,
    };
  }
  const whole = every.exec(text);
  const quoted = quotesIn(sentence, text);
  if (whole && quoted.length === 0) {
    if (scene.isRun) return undefined;
    const found = readFilter(scene, withText(sentence, text.slice(whole[0].length)));
    const subject = found.rest.replace(/^(?:of\s+)?(?:them|these|those)$|^(?:about|containing|matching|with)\s+/i, '');
    const query = queryText(written(sentence, subject));
    return { kind: 'all', found: query === '' ? found : { ...found, filter: { ...found.filter, query } } };
  }
  if (scene.isRun && quoted.length === 0 && !new RegExp(`\\b${noun}\\b`, 'i').test(text)) return undefined;
  const inList = /\s+(?:in|from|on)\s+(.{1,100})$/i.exec(text);
  const list = inList && knownList(scene, sentence, (inList[1] ?? '').replace(/\s+list$/i, ''));
  const named = list ? text.slice(0, inList.index) : text;
  const filter = list ? { todoListId: list.id } : {};
  const others = named.replaceAll(/\uE000\d+\uE001/g, '').replaceAll(/\b(?:and|the|todos?|tasks?)\b|[\s,&]/gi, '');
  if (quoted.length > 0 && others === '') return { kind: 'search', words: quoted, isCertain: true, filter };
  const words = written(sentence, isQuoted(named) ? named : named.replace(lead, '').replace(trail, ''));
  if (words === '') return pronounTarget(scene, 'the todo');
  return { kind: 'search', words: [words], isCertain: new RegExp(`\\b(?:${noun}|one)\\b`, 'i').test(named), filter };
}
