/*
 * The parts of a statement: the queries of its `with` list, and the one that follows. Read from the text, which the
 * service writes itself.
 */

/** One query of a `with` list. */
export interface Part {
  name: string;
  /** Names of its columns, in parentheses, where the list gives them; else empty. */
  columns: string;
  /** ` as `, ` as materialized ` … */
  as: string;
  body: string;
  /** It changes rows. */
  changes: boolean;
}

export interface Parts {
  isRecursive: boolean;
  list: Part[];
  main: string;
}

const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([a-z_]*)\$[\s\S]*?\$\1\$|[()]/gy;

/** The place behind the parenthesis that closes the one at `open`. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; ) {
    quoted.lastIndex = at;
    const [token] = quoted.exec(text) ?? [];
    if (token === '(') depth++;
    if (token === ')' && --depth === 0) return at + 1;
    at += token?.length ?? 1;
  }
  throw new Error('A parenthesis of a statement is not closed');
}

const header =
  /\s*([a-z_][a-z_0-9]*|"[^"]+")\s*(\([^()]*\))?(\s+as\s+(?:materialized\s+|not\s+materialized\s+)?)(?=\()/iy;

/** What a query does, behind comments and its own `with` list. */
function changesRows(body: string): boolean {
  const bare = body.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim();
  return /^(insert|update|delete)\b/i.test(bare);
}

/** The parts of a statement that begins with `with`; undefined for any other. */
export function partsOf(text: string): Parts | undefined {
  const start = /^\s*with\s+(recursive\s+)?/i.exec(text);
  if (!start) return undefined;
  const list: Part[] = [];
  for (let at = start[0].length; ; ) {
    header.lastIndex = at;
    const found = header.exec(text);
    if (!found) throw new Error('The with list of a statement cannot be read');
    const [all, name = '', columns = '', as = ''] = found;
    const open = at + all.length;
    const end = closing(text, open);
    const body = text.slice(open + 1, end - 1).trim();
    list.push({ name: name.replaceAll('"', ''), columns, as, body, changes: changesRows(body) });
    const comma = /^\s*,/.exec(text.slice(end));
    if (!comma) return { isRecursive: start[1] !== undefined, list, main: text.slice(end).trim() };
    at = end + comma[0].length;
  }
}

/** Whether a query names a relation. */
export function refersTo(query: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`, 'i').test(query);
}

/** Texts that are remembered: there are some hundred, and those of tests are more. */
const maxTexts = 5000;

/** Finds the same out about a text once, for the texts of late. */
export function byText<Found>(find: (text: string) => Found): (text: string) => Found {
  const known = new Map<string, { found: Found }>();
  return (text) => {
    const before = known.get(text);
    if (before) return before.found;
    const found = find(text);
    if (known.size === maxTexts) known.clear();
    known.set(text, { found });
    return found;
  };
}
