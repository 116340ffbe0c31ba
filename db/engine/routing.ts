/*
 * How a statement names its workspace. The static law: each query of one names it by a bound parameter for every
 * distributed table in it. Citus then finds its node without the values. A query that is only tied to the query around
 * it, as by `s.workspace_id = t.workspace_id` in a subquery, cannot be routed.
 */

type Token = string | Token[];

const words = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$\d+|[a-z_][a-z_0-9]*|\d+(?:\.\d+)?|::|[^\s]/gi;
const beginnings = new Set(['select', 'with', 'insert', 'update', 'delete', 'values']);
const beforeTable = new Set(['from', 'join', 'update', 'into', 'using', 'only']);
const clauses = new Set(['select', 'where', 'set', 'on', 'order', 'group', 'limit', 'returning', 'values']);
const notAlias = new Set(
  'on where set join left right inner cross full order group limit for union returning values select using offset having tablesample natural window'.split(
    ' ',
  ),
);

/** The tokens of a statement; what is in parentheses is a list. Texts, quotes and comments do not matter. */
function parsed(text: string): Token[] {
  const root: Token[] = [];
  const open = [root];
  for (const [word] of text.matchAll(words)) {
    const here = open.at(-1) ?? root;
    if (word.startsWith('--') || word.startsWith('/*')) continue;
    if (word === '(') {
      const inner: Token[] = [];
      here.push(inner);
      open.push(inner);
    } else if (word === ')') open.pop();
    else here.push(word.startsWith("'") ? "''" : word.replaceAll('"', '').toLowerCase());
  }
  return root;
}

const isQuery = (token: Token): token is Token[] =>
  Array.isArray(token) && (beginnings.has(String(token[0])) || (Array.isArray(token[0]) && isQuery(token[0])));

/** The queries of a list of tokens, each without those inside of it. */
function queriesOf(tokens: readonly Token[]): string[][] {
  const found: string[][] = [[]];
  const inner: Token[][] = [];
  const take = (each: readonly Token[], isTop: boolean) => {
    for (const token of each) {
      if (isQuery(token)) {
        inner.push(token);
        found.at(-1)?.push('(', ')');
      } else if (Array.isArray(token)) {
        found.at(-1)?.push('(');
        take(token, false);
        found.at(-1)?.push(')');
      } else if (isTop && ['union', 'intersect', 'except'].includes(token)) found.push([]);
      else found.at(-1)?.push(token);
    }
  };
  take(tokens, true);
  return [...found, ...inner.flatMap(queriesOf)];
}

/** For each token, whether a comma there separates relations. */
function inFrom(query: readonly string[]): boolean[] {
  const open = [false];
  return query.map((word) => {
    if (word === '(') open.push(false);
    else if (word === ')') open.pop();
    else if (word === 'from') open[open.length - 1] = true;
    else if (clauses.has(word)) open[open.length - 1] = false;
    return open.at(-1) === true;
  });
}

/** The tables of a query that are distributed, by their names in it. */
function tablesOf(query: readonly string[], distributed: ReadonlySet<string>): { table: string; alias: string }[] {
  const isFrom = inFrom(query);
  return query.flatMap((table, place) => {
    const before = query[place - 1] ?? '';
    if (!distributed.has(table) || query[place + 1] === '.') return [];
    if (!(beforeTable.has(before) || (before === ',' && isFrom[place]))) return [];
    const after = query.slice(place + 1, place + 3);
    const [next = '', second = ''] = after;
    const alias = next === 'as' ? second : /^[a-z_]/.test(next) && !notAlias.has(next) ? next : table;
    return [{ table, alias }];
  });
}

/** What an insert takes for the workspace, its first column: a parameter, `$n`, or a column of that name. */
function workspaceOf(query: readonly string[], table: string): string | undefined {
  const place = query.findIndex((word, index) => word === table && query[index - 1] === 'into');
  const column = query.indexOf('(', place) + 1;
  if (place < 0 || !['workspace_id', 'id'].includes(query[column] ?? '')) return undefined;
  const source = query.findIndex((word, index) => index > column && ['select', 'values'].includes(word));
  const [first = '', dot, name = ''] = query.slice(source + 1).filter((word) => word !== '(');
  if (first.startsWith('$')) return first;
  return dot === '.' && ['workspace_id', 'id'].includes(name) ? 'column' : undefined;
}

const isTenant = ({ table }: { table: string }) => table === 'workspaces';

/** The places of the parameters that a query compares its workspace with. */
function workspacesOf(query: readonly string[], tables: readonly { table: string; alias: string }[]): number[] {
  const text = ` ${query.join(' ')} `;
  const keys = [
    'workspace_id',
    ...tables
      .filter(isTenant)
      .flatMap(({ alias }) => [`${alias} \\. id`, ...(tables.length === 1 ? ['(?<! \\. )id'] : [])]),
  ];
  return keys.flatMap((key) =>
    [...text.matchAll(new RegExp(` ${key} = \\$(\\d+)(?= )`, 'g'))].map(([, n]) => Number(n)),
  );
}

function isRouted(query: readonly string[], distributed: ReadonlySet<string>): boolean {
  const tables = tablesOf(query, distributed);
  const text = ` ${query.join(' ')} `;
  const isBound = workspacesOf(query, tables).length > 0;
  return tables.every(({ table, alias }) => {
    const inserted = workspaceOf(query, table);
    if (inserted) return inserted !== 'column' || isBound;
    const column = isTenant({ table }) ? 'id' : 'workspace_id';
    const isNamed = text.includes(` ${alias} . ${column} `) || (tables.length === 1 && text.includes(` ${column} `));
    return isBound && isNamed;
  });
}

/** The queries of a statement that Citus cannot route, as they are read here. */
export function unroutedIn(text: string, distributed: ReadonlySet<string>): string[] {
  return queriesOf(parsed(text))
    .filter((query) => !isRouted(query, distributed))
    .map((query) => query.join(' '));
}

/** What a query inserts as the workspace: the place of a parameter; NaN for anything else. */
function insertedBy(query: readonly string[], tables: readonly { table: string }[]): number[] {
  const filled = tables.filter(({ table }) =>
    query.some((word, place) => word === table && query[place - 1] === 'into'),
  );
  return filled.map(({ table }) => Number(workspaceOf(query, table)?.slice(1)));
}

/** What a statement names. */
interface Names {
  /** These tables, once for each place. */
  tables: string[];
  /** The parameters that it compares workspaces with, or inserts as one. */
  workspaces: number[];
  /** Those of the tables whose rows it locks, or may lock. */
  locked: string[];
  /** It inserts rows into one of them whose workspace is no parameter. */
  isLoose: boolean;
}

const locksRows = / for (no key update|update|key share|share)( |$)/;
const fromQuery = / (from|join|,) (lateral )?\( \)/;

/** What a statement names of these tables. */
export function namesIn(text: string, tables: ReadonlySet<string>): Names {
  const queries = queriesOf(parsed(text)).map((query) => ({ query, found: tablesOf(query, tables) }));
  const words = (query: readonly string[]) => ` ${query.join(' ')} `;
  const locking = queries.filter(({ query }) => locksRows.test(words(query)));
  // Locks reach into the queries that a query reads from.
  const isDeep = locking.some(({ query }) => fromQuery.test(words(query)));
  const inserted = queries.flatMap(({ query, found }) => insertedBy(query, found));
  return {
    tables: queries.flatMap(({ found }) => found.map(({ table }) => table)),
    workspaces: [
      ...queries.flatMap(({ query, found }) => workspacesOf(query, found)),
      ...inserted.filter((place) => !Number.isNaN(place)),
    ],
    isLoose: inserted.some(Number.isNaN),
    locked: (isDeep ? queries : locking).flatMap(({ found }) => found.map(({ table }) => table)),
  };
}
