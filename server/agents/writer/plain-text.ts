import { codePoints } from '../../../routers/fields.ts';
import { shortened, withoutMarkdown } from '../../../routers/plain-text.ts';

export { shortened, withoutMarkdown };

/** The first sentence of a text without Markdown: up to its end mark, or the end of its line. */
export function firstSentence(text: string): string {
  const [line = ''] = withoutMarkdown(text).split('\n');
  const end = /(?<!\b(?:Mr|Mrs|Ms|Dr|St|vs|e\.g|i\.e|etc|No|approx))[.!?…]+["”’)]?(?=\s+\S)/.exec(line);
  return end ? line.slice(0, end.index + end[0].length) : line;
}

/** The first clause that is long enough to stand alone, when the sentence is longer than `most` characters. */
export function firstClause(sentence: string, most: number): string {
  if (codePoints(sentence) <= most) return sentence;
  for (const { index } of [...sentence.matchAll(/\s*[,;:](?=\s)|\s+[–—-](?=\s)/g)].reverse()) {
    const clause = sentence.slice(0, index);
    if (codePoints(clause) <= most && codePoints(clause) >= 20) return clause;
  }
  return shortened(sentence, most);
}
