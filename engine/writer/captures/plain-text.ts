import { codePoints } from '../../../domain/fields.ts';
import { shortened, withoutMarkdown } from '../../../domain/plain-text.ts';

export { shortened, withoutMarkdown };

/** The first sentence of a text without Markdown: up to its end mark, or the end of its line. */
export function firstSentence(text: string): string {
  const [line = ''] = withoutMarkdown(text).split('\n');
  // A match begins at the first mark of a run: with one attempt for each mark a long run would take quadratic time.
  const end = /(?<!\b(?:Mr|Mrs|Ms|Dr|St|vs|e\.g|i\.e|etc|No|approx)|[.!?…])[.!?…]+["”’)]?(?=\s+\S)/.exec(line);
  return end ? line.slice(0, end.index + end[0].length) : line;
}

/**
 * The longest beginning of at most `most` characters that ends with a clause, when the sentence is longer than that.
 */
export function firstClause(sentence: string, most: number): string {
  if (codePoints(sentence) <= most) return sentence;
  // A character has two code units at most.
  const beginning = sentence.slice(0, 2 * most + 2);
  for (const { index } of [...beginning.matchAll(/\s*[,;:](?=\s)|\s+[–—-](?=\s)/g)].reverse()) {
    const clause = sentence.slice(0, index);
    if (codePoints(clause) <= most && codePoints(clause) >= 20) return clause;
  }
  return shortened(sentence, most);
}
