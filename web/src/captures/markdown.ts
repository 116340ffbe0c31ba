import type { Token } from 'markdown-it';
import { markdownTokens } from './markdown-parser.ts';

/* Markdown as a tree that is safe to show: texts, a few kinds of marks and blocks, links to web and mail addresses. */

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'strong' | 'em' | 'del'; children: Inline[] }
  | { type: 'link'; href: string; children: Inline[] };

export interface Item {
  /** Of a task list. */
  done: boolean | null;
  blocks: Block[];
}

interface List {
  type: 'list';
  ordered: boolean;
  start: number;
  items: Item[];
}

/** Rows have as many cells as the head. */
export interface Table {
  type: 'table';
  head: Inline[][];
  rows: Inline[][][];
  /** Where each column is aligned to: null is as the text reads. */
  columns: ('left' | 'center' | 'right' | null)[];
}

export type Block =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: number; children: Inline[] }
  | { type: 'code'; text: string }
  | { type: 'rule' }
  | { type: 'quote'; blocks: Block[] }
  | Table
  | List;

/** Marks inside each other, beyond which all is text. */
const maxMarks = 20;

const safeAddress = /^(?:https?:\/\/|mailto:)/i;
const bareAddress = /(https?:\/\/[^\s<>()[\]"']*[^\s<>()[\]"'.,;:!?])/;
const box = /^\[([ xX])\][ \t]+/;

function pushText(to: Inline[], text: string): void {
  const last = to.at(-1);
  if (last?.type === 'text') last.text += text;
  else if (text !== '') to.push({ type: 'text', text });
}

/** Adds a text and makes links of the addresses in it. */
function pushLinked(to: Inline[], text: string): void {
  for (const [place, part] of text.split(bareAddress).entries()) {
    if (place % 2 === 0) pushText(to, part);
    else to.push({ type: 'link', href: part, children: [{ type: 'text', text: part }] });
  }
}

/** An address that a link may lead to. */
function addressOf(token: Token, name: 'href' | 'src'): string | undefined {
  const address = String(token.attrGet(name) ?? '');
  return safeAddress.test(address) ? address : undefined;
}

/** The node that a token opens; undefined where only what is inside it is shown. */
function opened(token: Token): Extract<Inline, { children: Inline[] }> | undefined {
  if (token.type === 'strong_open') return { type: 'strong', children: [] };
  if (token.type === 'em_open') return { type: 'em', children: [] };
  if (token.type === 's_open') return { type: 'del', children: [] };
  const href = addressOf(token, 'href');
  return href === undefined ? undefined : { type: 'link', href, children: [] };
}

/** An image is a link to it: the pages load nothing from elsewhere. */
function pushImage(to: Inline[], token: Token): void {
  const href = addressOf(token, 'src');
  if (href === undefined) pushText(to, token.content);
  else to.push({ type: 'link', href, children: [{ type: 'text', text: token.content || href }] });
}

function inlineFrom(tokens: readonly Token[]): Inline[] {
  const root: Inline[] = [];
  const open = [root];
  let links = 0;
  for (const token of tokens) {
    const current = open.at(-1) ?? root;
    if (token.type === 'link_open') links += 1;
    if (token.type === 'link_close') links -= 1;
    if (token.nesting === 1) {
      const node = open.length <= maxMarks ? opened(token) : undefined;
      if (node) current.push(node);
      open.push(node?.children ?? current);
    } else if (token.nesting === -1) open.pop();
    else if (token.type === 'image') pushImage(current, token);
    else if (token.type === 'code_inline') current.push({ type: 'code', text: token.content });
    else if (token.type === 'softbreak' || token.type === 'hardbreak') pushText(current, '\n');
    else if (links > 0) pushText(current, token.content);
    else pushLinked(current, token.content);
  }
  return root;
}

/** Takes the box of a task off the beginning of an item. */
function takeBox(item: Item | undefined, tokens: readonly Token[]): void {
  const [first] = tokens;
  if (!item || item.blocks.length > 0 || first?.type !== 'text') return;
  const found = box.exec(first.content);
  if (!found) return;
  item.done = found[1] !== ' ';
  first.content = first.content.slice(found[0].length);
}

/** Adds to a table what one of its tokens says. */
function readTable(table: Table, token: Token): void {
  const { type } = token;
  const row = table.rows.at(-1);
  if (type === 'th_open') {
    const align = /text-align:(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
    table.columns.push((align as Table['columns'][number]) ?? null);
  } else if (type === 'tr_open') table.rows.push([]);
  else if (type === 'thead_close') table.head = table.rows.pop() ?? [];
  else if (type === 'inline') row?.push(inlineFrom(token.children ?? []));
}

/** The blocks of a Markdown text. */
export function blocksOf(markdown: string): Block[] {
  const root: Block[] = [];
  const containers: { blocks: Block[]; item?: Item }[] = [{ blocks: root }];
  const lists: List[] = [];
  let level = 0;
  let table: Table | undefined;
  for (const token of markdownTokens(markdown)) {
    const { blocks, item } = containers.at(-1) ?? { blocks: root };
    const { type } = token;
    if (type === 'table_open') {
      table = { type: 'table', head: [], rows: [], columns: [] };
      blocks.push(table);
    } else if (type === 'table_close') table = undefined;
    else if (table) readTable(table, token);
    else if (type === 'blockquote_open') {
      const quote = { type: 'quote' as const, blocks: [] };
      blocks.push(quote);
      containers.push(quote);
    } else if (type === 'bullet_list_open' || type === 'ordered_list_open') {
      const ordered = type === 'ordered_list_open';
      const list: List = { type: 'list', ordered, start: Number(token.attrGet('start') ?? 1), items: [] };
      blocks.push(list);
      lists.push(list);
    } else if (type === 'list_item_open') {
      const next: Item = { done: null, blocks: [] };
      lists.at(-1)?.items.push(next);
      containers.push({ blocks: next.blocks, item: next });
    } else if (type === 'blockquote_close' || type === 'list_item_close') containers.pop();
    else if (type === 'bullet_list_close' || type === 'ordered_list_close') lists.pop();
    else if (type === 'heading_open') level = Number(token.tag.slice(1));
    else if (type === 'heading_close') level = 0;
    else if (type === 'inline') {
      const tokens = token.children ?? [];
      takeBox(item, tokens);
      const children = inlineFrom(tokens);
      blocks.push(level > 0 ? { type: 'heading', level, children } : { type: 'paragraph', children });
    } else if (type === 'fence' || type === 'code_block')
      blocks.push({ type: 'code', text: token.content.replace(/\n$/, '') });
    else if (type === 'hr') blocks.push({ type: 'rule' });
  }
  return root;
}
