/* The part of Markdown that summaries and notes are written in, read in one pass. What is not known stays as it is. */

export type Inline =
  | { is: 'text'; text: string }
  | { is: 'code'; text: string }
  | { is: 'strong' | 'em'; inside: Inline[] }
  | { is: 'link'; to: string; inside: Inline[] };

export interface Item {
  /** Of a task list. */
  done: boolean | null;
  blocks: Block[];
}

export type Block =
  | { is: 'paragraph'; inside: Inline[] }
  | { is: 'heading'; level: number; inside: Inline[] }
  | { is: 'code'; text: string }
  | { is: 'rule' }
  | { is: 'quote'; blocks: Block[] }
  | { is: 'list'; ordered: boolean; start: number; items: Item[] };

/** Every alternative ends at the first mark of its own kind, so that no text takes longer than its length. */
const marks =
  /\\([\\`*_[\]()#+.!-])|`([^`\n]+)`|\*\*((?:[^*\n]|\*(?!\*)|\*(?=\*\*(?!\*)))+)\*\*|\*([^*\s][^*\n]*)\*|(?<!\w)_([^_\s][^_\n]*)_(?!\w)|\[([^[\]\n]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>()[\]"']*[^\s<>()[\]"'.,;:!?])/g;

/** Addresses that a link may lead to. */
function isSafe(address: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(address);
}

/** The marks within a line of text. */
export function inlineOf(text: string): Inline[] {
  const found: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, escaped, code, strong, star, underscore, label, to, bare] = match;
    if (match.index > from) found.push({ is: 'text', text: text.slice(from, match.index) });
    from = match.index + whole.length;
    const em = star ?? underscore;
    if (escaped !== undefined) found.push({ is: 'text', text: escaped });
    else if (code !== undefined) found.push({ is: 'code', text: code });
    else if (strong !== undefined) found.push({ is: 'strong', inside: inlineOf(strong) });
    else if (em !== undefined) found.push({ is: 'em', inside: inlineOf(em) });
    else if (bare !== undefined) found.push({ is: 'link', to: bare, inside: [{ is: 'text', text: bare }] });
    else if (label !== undefined && to !== undefined && isSafe(to))
      found.push({ is: 'link', to, inside: [{ is: 'text', text: label }] });
    else found.push({ is: 'text', text: whole });
  }
  if (from < text.length) found.push({ is: 'text', text: text.slice(from) });
  return found;
}

const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const fence = /^ {0,3}(```+|~~~+)/;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const quote = /^ {0,3}> ?/;
const item = /^( {0,3})([-*+]|(\d{1,9})[.)])[ \t]+(?=\S)/;
const task = /^\[([ xX])\][ \t]+/;

/** Quotes and lists within each other, beyond which all is text. */
const deepest = 8;

function startsBlock(line: string): boolean {
  return [heading, fence, rule, quote, item].some((start) => start.test(line));
}

/** Lines of a document, taken from the front. */
class Lines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get next(): string | undefined {
    return this.#lines[this.#at];
  }

  /** Takes lines for as long as they match. */
  while(matches: (line: string) => boolean): string[] {
    const from = this.#at;
    while (this.#at < this.#lines.length && matches(this.#lines[this.#at] ?? '')) this.#at += 1;
    return this.#lines.slice(from, this.#at);
  }

  take(): string {
    return this.#lines[this.#at++] ?? '';
  }
}

/** A list: its items are told from what belongs to them by how far they are set in. */
function listOf(lines: Lines, depth: number): Block {
  const [, , mark = '', number] = item.exec(lines.next ?? '') ?? [];
  const ordered = number !== undefined;
  const items: Item[] = [];
  for (let found = item.exec(lines.next ?? ''); found; found = item.exec(lines.next ?? '')) {
    if ((found[3] !== undefined) !== ordered || (!ordered && found[2] !== mark)) break;
    const width = found[0].length;
    const first = lines.take().slice(width);
    const rest = lines.while((line) => /^(?: {2,}|\t)/.test(line) || (line.trim() !== '' && !startsBlock(line)));
    const done = task.exec(first)?.[1];
    const outset = new RegExp(`^(?:\\t| {1,${width}})`);
    const inner = [first.replace(task, ''), ...rest.map((line) => line.replace(outset, ''))];
    items.push({ done: done === undefined ? null : done !== ' ', blocks: blocksIn(inner, depth + 1) });
    lines.while((line) => line.trim() === '');
  }
  return { is: 'list', ordered, start: Number(number ?? 1), items };
}

function blocksIn(all: readonly string[], depth: number): Block[] {
  const lines = new Lines(all);
  const blocks: Block[] = [];
  for (let line = lines.next; line !== undefined; line = lines.next) {
    const [, marksOf = '', title = ''] = heading.exec(line) ?? [];
    const fenced = fence.exec(line)?.[1];
    if (line.trim() === '') lines.take();
    else if (marksOf !== '') {
      lines.take();
      blocks.push({ is: 'heading', level: marksOf.length, inside: inlineOf(title) });
    } else if (fenced !== undefined) {
      lines.take();
      blocks.push({ is: 'code', text: lines.while((each) => !each.trimStart().startsWith(fenced)).join('\n') });
      lines.take();
    } else if (rule.test(line)) {
      lines.take();
      blocks.push({ is: 'rule' });
    } else if (quote.test(line) && depth < deepest) {
      const inner = lines.while((each) => quote.test(each)).map((each) => each.replace(quote, ''));
      blocks.push({ is: 'quote', blocks: blocksIn(inner, depth + 1) });
    } else if (item.test(line) && depth < deepest) blocks.push(listOf(lines, depth));
    else {
      const text = [lines.take(), ...lines.while((each) => each.trim() !== '' && !startsBlock(each))];
      blocks.push({ is: 'paragraph', inside: inlineOf(text.map((each) => each.trim()).join('\n')) });
    }
  }
  return blocks;
}

/** The blocks of a Markdown text. */
export function blocksOf(markdown: string): Block[] {
  return blocksIn(markdown.split(/\r\n?|\n/), 0);
}
