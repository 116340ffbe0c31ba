import type { Token } from 'markdown-it';
import { codePoints } from './fields.ts';
import { markdownTokens } from './markdown.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const tag = /<\/?[a-zA-Z][^>\n]{0,200}>/g;
const control = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** A bullet that is no list in CommonMark. */
const bullet = /^[ \t]*•[ \t]+(?:\[[ xX]\][ \t]+)?/;
/** The box of a task. */
const box = /^\[[ xX]\][ \t]+/;

/** The text of the tokens within a block. Images are their alternative text. */
function inlineText(tokens: readonly Token[]): string {
  const parts = tokens.map(({ type, content, children }) => {
    if (type === 'image') return inlineText(children ?? []);
    if (type === 'softbreak' || type === 'hardbreak') return '\n';
    return type === 'text' ? content.replaceAll(tag, '') : content;
  });
  return parts.join('');
}

/** `2026. ` is a year at the beginning of a line, however CommonMark numbers lists. */
function numberOf({ type, info, markup }: Token): string {
  return type === 'list_item_open' && info.length > 3 ? `${info}${markup} ` : '';
}

/** The texts of the blocks, one after the other; a row of a table is one. */
function* blockTexts(tokens: readonly Token[]): Generator<string> {
  let isItem = false;
  let number = '';
  let cells: string[] | undefined;
  for (const token of tokens) {
    if (token.type === 'list_item_open') {
      isItem = true;
      number = numberOf(token);
    } else if (token.type === 'tr_open') cells = [];
    else if (token.type === 'tr_close') {
      yield (cells ?? []).join(' ');
      cells = undefined;
    } else if (token.type === 'inline' && cells) cells.push(inlineText(token.children ?? []));
    else if (token.type === 'inline') {
      const text = inlineText(token.children ?? []);
      yield number + (isItem ? text.replace(box, '') : text);
      isItem = false;
      number = '';
    } else if (token.type === 'fence' || token.type === 'code_block') yield token.content;
  }
}

/** The text without Markdown, control characters and blank lines; line breaks stay. */
export function withoutMarkdown(text: string): string {
  const plain = [...blockTexts(markdownTokens(text.toWellFormed()))].join('\n');
  return plain
    .replaceAll(control, (each) => (each === '\n' ? each : ' '))
    .split('\n')
    .map((line) => line.replace(bullet, '').replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** The beginning of a line, at most `max` code points long, cut between words where that is possible. */
export function shortened(line: string, max: number): string {
  if (codePoints(line) <= max) return line;
  let head = '';
  let size = 0;
  for (const { segment } of graphemes.segment(line)) {
    size += codePoints(segment);
    if (size > max - 1) break;
    head += segment;
  }
  const space = head.lastIndexOf(' ');
  const words = space > max / 2 ? head.slice(0, space) : head;
  return `${words.replace(/[\s,;:.–-]+$/, '')}…`;
}
