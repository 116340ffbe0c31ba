import { codePoints } from './fields.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const marks: [RegExp, string][] = [
  [/^[ \t]*(?:```|~~~).*$/gm, ''],
  [/!\[([^\]\n]*)\]\([^)\n]*\)/g, '$1'],
  [/\[([^\]\n]+)\]\([^)\n]*\)/g, '$1'],
  [/<((?:https?|mailto):[^>\s]+)>/g, '$1'],
  [/<\/?[a-zA-Z][^>\n]{0,200}>/g, ''],
  [/^[ \t]{0,3}(?:>[ \t]?)+/gm, ''],
  [/^[ \t]{0,3}#{1,6}[ \t]+|[ \t]+#+[ \t]*$/gm, ''],
  [/^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, ''],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ''],
  [/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2'],
  [/(?<![\p{L}\d*_])([*_])(?=[^\s*_])([^*_\n]*[^\s*_])\1(?![\p{L}\d*_])/gu, '$2'],
  [/`+([^`\n]+)`+/g, '$1'],
];

/** The text without Markdown, control characters and blank lines; line breaks stay. */
export function withoutMarkdown(text: string): string {
  let plain = text.toWellFormed().replaceAll(/\r\n?/g, '\n');
  for (const [mark, rest] of marks) plain = plain.replaceAll(mark, rest);
  plain = plain.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (each) =>
    each === '\n' ? each : ' ',
  );
  return plain
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** The beginning of a line, `most` characters at most, cut between words where that is possible. */
export function shortened(line: string, most: number): string {
  if (codePoints(line) <= most) return line;
  let head = '';
  let size = 0;
  for (const { segment } of graphemes.segment(line)) {
    size += codePoints(segment);
    if (size > most - 1) break;
    head += segment;
  }
  const space = head.lastIndexOf(' ');
  const words = space > most / 2 ? head.slice(0, space) : head;
  return `${words.replace(/[\s,;:.–-]+$/, '')}…`;
}
