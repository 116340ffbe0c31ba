import { folded } from '../../domain/text.ts';
import type { Named } from '../facts.ts';
import type { Scene } from './plan.ts';
import { quotesIn, type Sentence, written } from './sentence.ts';

function sameName(a: string, b: string): boolean {
  return folded(a.trim()) === folded(b.trim());
}

/** A name as it was written, without article, quotation marks and the word for what it names. */
function bare(sentence: Sentence, text: string): string {
  const [quoted] = quotesIn(sentence, text);
  if (quoted !== undefined) return quoted;
  return written(sentence, text).replace(/^(?:the|my|our)\s+/i, '');
}

/** The list that words name, out of those that are known. */
export function knownList({ facts }: Scene, sentence: Sentence, text: string): Named | undefined {
  const names = [bare(sentence, text), written(sentence, text)];
  return facts.workspace.lists.find((list) => names.some((name) => sameName(list.name, name)));
}

/** The name of the list that has this id or name. */
export function listName({ facts }: Scene, idOrName: string): string {
  return facts.workspace.lists.find(({ id }) => id === idOrName)?.name ?? idOrName;
}

/** The person or agent that words name: by the whole name, or by a first name that only one has. */
export function knownAssignee({ facts }: Scene, sentence: Sentence, text: string): Named | undefined {
  const name = bare(sentence, text);
  if (/^(?:me|myself|i)$/i.test(name)) return facts.person;
  if (/^(?:you|yourself)$/i.test(name)) return facts.agent;
  const all = [...facts.workspace.people, ...facts.workspace.agents];
  const whole = all.filter((each) => sameName(each.name, name));
  if (whole.length > 0) return whole.length === 1 ? whole[0] : undefined;
  const first = all.filter((each) => sameName(each.name.trim().split(/\s+/)[0] ?? '', name));
  return first.length === 1 ? first[0] : undefined;
}

/** The name of the person or agent that has this id or name. */
export function assigneeName({ facts }: Scene, idOrName: string): string {
  const all = [facts.person, facts.agent, ...facts.workspace.people, ...facts.workspace.agents];
  return all.find(({ id }) => id === idOrName)?.name ?? idOrName;
}

/**
 * The assignees that words such as “Ada and Bob” name, by id. Where a name is unknown: undefined, or with `trusting`
 * the name itself, for the tool to look up.
 */
export function assigneesOf(
  scene: Scene,
  sentence: Sentence,
  text: string,
  trusting: boolean,
): { id: string }[] | undefined {
  const whole = knownAssignee(scene, sentence, text);
  if (whole) return [{ id: whole.id }];
  const parts = text.split(/\s*(?:,|&|\band\b)\s*/i).filter((part) => part.trim() !== '');
  const found = parts.map((part) => {
    const id = knownAssignee(scene, sentence, part)?.id ?? (trusting ? bare(sentence, part) : undefined);
    return id === undefined ? [] : [{ id }];
  });
  const known = found.flat();
  return known.length > 0 && found.every((each) => each.length > 0) ? known : undefined;
}
