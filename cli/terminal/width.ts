/*
 * Display width of text in a terminal (Unicode TR 11): two columns for wide characters and emoji, none for combining
 * marks.
 */

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /[\u1100-\u115f\u231a\u231b\u2329\u232a\u23e9-\u23ec\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const joined = /^[\p{Mark}\p{Format}]*$/u;
const plain = /^[\x20-\x7e]*$/;

function graphemeWidth(grapheme: string): number {
  if (joined.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Columns of a text without line breaks. */
export function width(text: string): number {
  if (plain.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += graphemeWidth(segment);
  return columns;
}

/** The text in at most `columns`, shortened with an ellipsis. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let taken = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = graphemeWidth(segment);
    if (taken + next > columns - 1) break;
    kept += segment;
    taken += next;
  }
  return `${kept.trimEnd()}…`;
}

/** The text with spaces up to `columns`. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

/** Lines of at most `columns`; a longer word gets a line of its own. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (line !== '' && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
