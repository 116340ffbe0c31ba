import { folded } from '../../../domain/text.ts';

/** Names as they are compared: without case, accents and doubled spaces. */
function keyOf(name: string): string {
  return folded(name.normalize('NFD').replaceAll(/\p{M}/gu, '')).replaceAll(/\s+/g, ' ').trim();
}

/** Who is meant by a name. */
export interface Named {
  /** One of the people given, when it is nobody else; null for somebody else or one of several. */
  person: string | null;
}

/** An index of names: full names and first names, of people and of mere speakers. */
export interface NameBook {
  /** Undefined when these words are no name. */
  find(words: string): Named | undefined;
  /** Of a mention such as `@ada` or `@ada.lovelace`, without the `@`. */
  handle(word: string): Named | undefined;
  /** Whether the words are a part of some name. */
  isPart(word: string): boolean;
}

/** Each person under one name. Speakers who are none of the people can be meant, but not be assigned. */
export function nameBook(people: readonly string[], speakers: Iterable<string> = []): NameBook {
  const names = new Map<string, Set<number>>();
  const handles = new Map<string, Set<number>>();
  const parts = new Set<string>();
  const owners: (string | null)[] = [];

  const enter = (index: Map<string, Set<number>>, key: string, owner: number) => {
    if (key === '') return;
    const known = index.get(key);
    if (known) known.add(owner);
    else index.set(key, new Set([owner]));
  };
  const add = (name: string, person: string | null) => {
    const key = keyOf(name);
    const words = key.split(' ');
    const [first = ''] = words;
    const owner = owners.push(person) - 1;
    for (const word of words) parts.add(word);
    for (const each of [key, first]) enter(names, each, owner);
    for (const each of [first, words.join(''), words.join('.'), words.join('_'), words.join('-')])
      enter(handles, each, owner);
  };
  const look = (index: Map<string, Set<number>>, words: string): Named | undefined => {
    const found = index.get(keyOf(words));
    if (!found) return undefined;
    const [only] = found;
    return { person: found.size === 1 && only !== undefined ? (owners[only] ?? null) : null };
  };

  for (const person of people) add(person, person);
  for (const speaker of new Set(speakers)) if (!look(names, speaker)) add(speaker, null);
  return {
    find: (words) => look(names, words),
    handle: (word) => look(handles, word),
    isPart: (word) => parts.has(keyOf(word)),
  };
}
