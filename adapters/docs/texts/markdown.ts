import MarkdownIt from 'markdown-it';

/*
 * The Markdown of the documents, which is ours: CommonMark with tables. Texts of users are read by domain/markdown.ts.
 */

const parser = new MarkdownIt('default', { html: false, linkify: false, typographer: false });

/** `Polling, in short` → `polling-in-short`: the anchor of a heading, as repositories on the web make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

/** Text as it may stand in HTML, in an attribute too. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
}

const fallback: NonNullable<typeof parser.renderer.rules.link_open> = (tokens, index, options, _, self) =>
  self.renderToken(tokens, index, options);

// A heading is its own anchor. An error code or an operation, alone in code, keeps its spelling.
parser.renderer.rules.heading_open = (tokens, index, options, env, self) => {
  const inline = tokens[index + 1];
  const text = inline?.children?.map(({ content }) => content).join('') ?? '';
  const isCode = /^`[^`]+`$/.test(inline?.content ?? '');
  tokens[index]?.attrSet('id', isCode ? text : anchorOf(text));
  return fallback(tokens, index, options, env, self);
};

// Pages link to the Markdown of each other, so that the links work in both; in HTML they lead to the pages.
parser.renderer.rules.link_open = (tokens, index, options, env, self) => {
  const token = tokens[index];
  const address = String(token?.attrGet('href') ?? '');
  if (!/^[a-z]+:/i.test(address)) token?.attrSet('href', address.replace(/\.md(?=#|$)/, ''));
  return fallback(tokens, index, options, env, self);
};

// Code may be wider than the page: it scrolls, also by keyboard.
parser.renderer.rules.fence = (tokens, index) =>
  `<pre tabindex="0"><code>${escaped(tokens[index]?.content ?? '')}</code></pre>\n`;
parser.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
parser.renderer.rules.table_close = () => '</table></div>\n';

/** Blocks of Markdown as HTML. */
export function htmlOf(markdown: string): string {
  return parser.render(markdown);
}

/** One line of Markdown as HTML, without a paragraph around it. */
export function inlineHtmlOf(markdown: string): string {
  return parser.renderInline(markdown);
}

/**
 * Links the names of operations in Markdown, in code or not, outside of fenced blocks and of links. `addressOf` gives
 * the address of an operation, or undefined for any other word.
 */
export function linkOperations(markdown: string, addressOf: (operationId: string) => string | undefined): string {
  const linked = (text: string) =>
    text.replace(
      /(\[[^\]]*\]\([^)]*\))|`([a-z]+[A-Za-z]*)`|(`[^`]*`)|\b([a-z]+[A-Z][A-Za-z]*)\b/g,
      (whole, _link, code?: string, _other?: string, bare?: string) => {
        const name = code ?? bare;
        const address = name === undefined ? undefined : addressOf(name);
        return address === undefined ? whole : `[\`${name}\`](${address})`;
      },
    );
  return markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/^(?!#).*$/gm, linked)))
    .join('');
}
