import MarkdownIt, { type StateBlock, type Token } from 'markdown-it';

/*
 * How Markdown is read, by the service and by its pages: CommonMark with strikethrough and tables
 * (docs/decisions/0021). The pages cannot import values of the service, so web/src/captures/markdown-parser.ts is a
 * copy of this file. A test compares the two.
 */

/** Levels of quotes, lists and list items inside each other. A list takes two. Deeper lines are text. */
const maxLevel = 16;

/** A single `*` within a word is a sign of its own, as `_` is in CommonMark: `2*3*4`. */
class InlineState extends MarkdownIt.StateInline {
  override scanDelims(start: number, canSplitWord: boolean) {
    const isSingleStar = this.src[start] === '*' && this.src[start + 1] !== '*' && this.src[start - 1] !== '*';
    return super.scanDelims(start, canSplitWord && !isSingleStar);
  }
}

/** Reads one line of a container that is nested too deeply as a paragraph. */
function deepLine(state: StateBlock, line: number, _: number, silent: boolean): boolean {
  if (state.level < maxLevel || silent) return false;
  state.line = line + 1;
  state.push('paragraph_open', 'p', 1).map = [line, state.line];
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(line, state.line, state.blkIndent, false).trim();
  inline.map = [line, state.line];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

const parser = new MarkdownIt('default', { html: false, linkify: false, typographer: false });
parser.set({ maxNesting: maxLevel + 4 });
// `[Anna]: yes` is a line of a note, not the definition of a link that is shown nowhere.
parser.disable(['reference', 'entity']);
// Reading is not showing: code that makes links of the tokens checks their addresses.
parser.validateLink = () => true;
parser.inline.State = InlineState;
parser.block.ruler.before('code', 'deep_line', deepLine);

/**
 * The tokens of a Markdown text (https://markdown-it.github.io). HTML is text and character references stay as written.
 * The addresses of links are unchecked. Takes time that is linear in the length of any text.
 */
export function markdownTokens(markdown: string): Token[] {
  return parser.parse(markdown, {});
}
