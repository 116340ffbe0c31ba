import type { Call, Loader } from '../harness/loader.ts';
import type { Space } from '../harness/spaces.ts';
import { searchedWords } from './workloads.ts';

/** p50 of one request in ms, in small workspaces and in the giant one. */
export interface Latency {
  name: string;
  small: number;
  giant: number;
  errors: number;
}

/** Sends the same requests one by one to a small workspace and to the giant one, in turn. */
export async function compareSizes(loader: Loader, url: string, spaces: Space[], probes: number): Promise<Latency[]> {
  const [giant, ...small] = spaces;
  if (!giant) return [];
  const pairs = (path: (space: Space, turn: number) => string): Call[] =>
    small.flatMap((space, turn) =>
      [space, giant].map((each): Call => ({ method: 'GET', path: path(each, turn), key: each.key })),
    );
  const words = searchedWords();
  const kinds: [string, Call[]][] = [
    ['getTodo', pairs(({ ids }, turn) => `/todos/${ids[turn % ids.length]}`)],
    ['listTodos', pairs(() => '/todos')],
    ['listTodos status=active', pairs(() => '/todos?status=active')],
    ['listTodos sort=dueDate', pairs(() => '/todos?sort=dueDate&order=asc')],
    ['listTodos assignedToMe', pairs(() => '/todos?assignedToMe=true')],
    ['search', pairs((_, turn) => `/todos?query=${encodeURIComponent(words[turn % words.length]?.[1] ?? '')}`)],
    ...words.map(([kind, word]): [string, Call[]] => [
      `search ${kind} word`,
      pairs(() => `/todos?query=${encodeURIComponent(word)}`),
    ]),
    ['summary', pairs(() => '/todos/summary')],
  ];
  const latencies: Latency[] = [];
  for (const [name, calls] of kinds) {
    const [first, second] = await loader.probe(url, calls, probes, 2);
    const { errors = 0, p50: inSmall = Number.NaN } = first ?? {};
    latencies.push({ name, small: inSmall, giant: second?.p50 ?? Number.NaN, errors });
  }
  return latencies;
}
