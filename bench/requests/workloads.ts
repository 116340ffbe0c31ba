import type { Workload } from '../harness/compare.ts';
import { type Call, newId } from '../harness/loader.ts';
import type { Space } from '../harness/spaces.ts';
import { wordOf } from '../harness/words.ts';

/** Search terms, by how often they occur. */
export function searchedWords(): [kind: string, text: string][] {
  const [common, other, mild, rare] = [wordOf(20), wordOf(60), wordOf(1510), wordOf(12_020)];
  return [
    ['common', common],
    ['uncommon', mild],
    ['rare', rare],
    ['absent', 'qqxzzq'],
    ['part of a common', other.slice(1, -1)],
    ['part of an uncommon', mild.slice(2, 7)],
    ['common and common', `${common} ${other}`],
    ['common and uncommon', `${other} ${mild}`],
  ];
}

/**
 * The query of a page some pages into a workspace, as the server there says; of the first one where all fits on one.
 */
async function deepQuery(url: string, key: string, pages: number, limit: number): Promise<string> {
  let query = '';
  for (let page = 0; page < pages; page++) {
    const response = await fetch(`${url}/api/v1/todos?limit=${limit}${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { nextCursor } = (await response.json()) as { nextCursor: string | null };
    if (nextCursor === null) break;
    query = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
  return query;
}

/** Every fifth request goes to the giant workspace, which has a fifth of the todos. */
function mixed(spaces: Space[], of: (space: Space, turn: number) => Call): Call[] {
  const [giant, ...small] = spaces;
  if (!giant) throw new Error('no workspace');
  return small.flatMap((space, turn) => {
    const calls = [0, 1, 2, 3].map((step) => of(space, turn * 4 + step));
    return [...calls, of(giant, turn)];
  });
}

/** All workloads for the server at `url`. */
export async function workloadsOf(url: string, spaces: Space[]): Promise<Workload[]> {
  const idOf = (space: Space, turn: number) => space.ids[turn % space.ids.length] ?? '';
  const get =
    (path: string) =>
    ({ key }: Space): Call => ({ method: 'GET', path, key });
  const list = (query: string) => mixed(spaces, get(`/todos${query}`));
  const deep = new Map<string, string>();
  for (const [place, { key }] of spaces.entries()) {
    deep.set(key, place === 0 ? await deepQuery(url, key, 50, 100) : await deepQuery(url, key, 2, 20));
  }
  const words = searchedWords();
  const write = (method: 'POST' | 'PATCH', of: (turn: number) => object, pass = 0) =>
    mixed(spaces, (space, turn) => ({
      method,
      path: method === 'POST' ? '/todos' : `/todos/${idOf(space, turn)}`,
      key: space.key,
      body: JSON.stringify(of(turn + pass)),
    }));
  // Other values each time that a todo comes up again, since equal ones would change nothing.
  const update = (of: (turn: number) => object) => [0, 1, 2].flatMap((pass) => write('PATCH', of, pass));
  const title = (turn: number) => `Review ${wordOf(1 + ((turn * 7) % 100))} ${wordOf(200 + turn)} of the week`;
  const content = (turn: number) =>
    Array.from({ length: 20 }, (_, i) => wordOf(1 + ((turn * 31 + i * i) % 900))).join(' ');
  const priority = (turn: number) => ['low', 'medium', 'high', 'urgent'][turn % 4];
  const status = (turn: number) => ['ready', 'in_progress', 'done'][turn % 3];
  const creates = write('POST', (turn) => ({
    title: title(turn),
    content: content(turn),
    priority: priority(turn),
    dueDate: `2027-03-${10 + (turn % 20)}`,
  }));
  return [
    { name: 'getTodo', target: 0.9, calls: mixed(spaces, (s, turn) => get(`/todos/${idOf(s, turn)}`)(s)) },
    { name: 'listTodos newest', target: 0.95, calls: list('') },
    { name: 'listTodos status=active', target: 0.95, calls: list('?status=active') },
    { name: 'listTodos sort=priority', target: 0.95, calls: list('?sort=priority') },
    { name: 'listTodos sort=dueDate', target: 0.95, calls: list('?sort=dueDate&order=asc') },
    { name: 'listTodos priority=high', target: 0.95, calls: list('?priority=high') },
    { name: 'listTodos assignedToMe', target: 0.95, calls: list('?assignedToMe=true') },
    {
      name: 'listTodos deep page',
      target: 0.95,
      calls: mixed(spaces, (space) => get(`/todos?limit=25${deep.get(space.key)}`)(space)),
    },
    { name: 'createTodo', target: 0.95, calls: creates },
    {
      name: 'createTodo keyed',
      target: 0.95,
      calls: creates.map((call) => ({ ...call, headers: { 'idempotency-key': newId } })),
    },
    {
      name: 'updateTodo status',
      target: 0.95,
      calls: update((turn) => ({ status: status(turn), priority: priority(turn) })),
    },
    { name: 'updateTodo title', target: 0.95, calls: update((turn) => ({ title: title(turn) })) },
    { name: 'summary', target: undefined, calls: list('/summary') },
    {
      name: 'search',
      target: undefined,
      calls: mixed(spaces, (space, turn) => {
        const [, word] = words[(turn + Math.floor(turn / 4)) % words.length] ?? ['', ''];
        return get(`/todos?query=${encodeURIComponent(word)}`)(space);
      }),
    },
  ];
}
