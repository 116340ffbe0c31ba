import { withoutMarkdown } from './plain-text.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Characters (UTF-16) of one sentence. Speech without sentence ends is cut between words. */
const maxSentenceLength = 400;

/** A full stop that ends no sentence: after titles, abbreviations, initials and numbers of a list. */
const unfinished =
  /(?:^|[\s(“"])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|approx|e\.g|i\.e|z\. ?B|d\. ?h|bzw|ca|M|Mme|Sra?|Sig|p\. ?ex|\p{Lu}|\p{L}\.\p{L})\.\s*$|^\s*\d{1,3}\.\s*$/u;

/**
 * Where to cut a text that is too long, at most `maxSentenceLength` after `from`: between words if possible, never
 * inside a character.
 */
function cutAt(text: string, from: number): number {
  const end = from + maxSentenceLength;
  // Searched in the piece alone: a search in the whole text would each time go back to its beginning.
  const space = text.slice(from, end + 1).lastIndexOf(' ');
  if (space > maxSentenceLength / 2) return from + space + 1;
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end;
}

function* pieces(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > maxSentenceLength) {
    const to = cutAt(text, from);
    yield text.slice(from, to);
    from = to;
  }
  if (from < text.length) yield text.slice(from);
}

/** One line without Markdown; the same words in the same order. */
function plainLine(text: string): string {
  const bare = /[*_`~<\]!#>\p{C}]/u.test(text) ? withoutMarkdown(text).replaceAll('\n', ' ') : text;
  return bare.replaceAll(/\s+/g, ' ').trim();
}

/** A mark that may end a sentence with another behind it, in any script. */
const ending = /\p{Sentence_Terminal}\P{L}*[\p{L}\p{N}]/u;

/** The sentences of a line, each without Markdown. One longer than 400 characters comes in several pieces. */
export function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  let open = '';
  const close = () => {
    for (const piece of pieces(open)) {
      const sentence = plainLine(piece);
      if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push(sentence);
    }
    open = '';
  };
  if (line.length <= maxSentenceLength && !ending.test(line)) {
    open = line;
    close();
    return sentences;
  }
  for (const { segment } of segmenter.segment(line)) {
    open += segment;
    if (segment.length > 60 || !unfinished.test(segment)) close();
  }
  close();
  return sentences;
}

/** A passage of the material between quotation marks; those inside become single ones. */
export function quotation(sentence: string, speaker: string | null): string {
  const quoted = `“${sentence.replaceAll('“', '‘').replaceAll('”', '’')}”`;
  return speaker === null ? quoted : `${speaker}: ${quoted}`;
}
