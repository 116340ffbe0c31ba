import type { Workload } from '../harness/compare.ts';
import type { Call } from '../harness/loader.ts';
import type { Space } from '../harness/spaces.ts';

/** Protocol version: self-contained requests (2026-07-28), or requests as after `initialize` (2025-11-25). */
export type Era = '2026-07-28' | '2025-11-25';
export const eras: readonly Era[] = ['2026-07-28', '2025-11-25'];

/** The same work over MCP and over REST. */
export interface Pair {
  name: string;
  era: Era;
  mcp: Workload;
  /** Undefined where REST has no equivalent. */
  rest: Workload | undefined;
  /** Number of REST requests that one call replaces. */
  requests: number;
}

function message(key: string, era: Era, method: string, params: Record<string, unknown>): Call {
  const modern = era === '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return {
    method: 'POST',
    root: '',
    path: '/mcp',
    key,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: modern ? { ...params, _meta } : params }),
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': era,
      ...(modern && { 'mcp-method': method, ...named }),
    },
    fault: '"isError":true',
  };
}

/** The same calls in the same workspaces, in both protocol versions and over REST. */
export function pairsOf(spaces: readonly Space[]): Pair[] {
  const idOf = ({ ids }: Space, turn: number) => ids[turn % ids.length] ?? '';
  const todo = (turn: number) => ({ title: `Review the week ${turn}`, priority: 'high', dueDate: '2027-03-10' });
  const rest = (of: (space: Space, turn: number) => Call[]): Workload['calls'] =>
    spaces.flatMap((space) => [0, 1, 2, 3].flatMap((turn) => of(space, turn)));
  const get = ({ key }: Space, path: string): Call => ({ method: 'GET', path, key });
  const mcp = (era: Era, name: string, of: (space: Space, turn: number) => object): Workload['calls'] =>
    spaces.flatMap((space) =>
      [0, 1, 2, 3].map((turn) => message(space.key, era, 'tools/call', { name, arguments: of(space, turn) })),
    );
  const workload = (name: string, calls: Call[]): Workload => ({ name, target: undefined, calls });
  const done: [
    name: string,
    over: string,
    of: (space: Space, turn: number) => object,
    rest: Call[],
    requests: number,
  ][] = [
    [
      'get_todo',
      'GET /todos/{todoId}',
      (space, turn) => ({ todoId: idOf(space, turn) }),
      rest((space, turn) => [get(space, `/todos/${idOf(space, turn)}`)]),
      1,
    ],
    [
      'create_todo',
      'POST /todos',
      (_, turn) => todo(turn),
      rest(({ key }, turn) => [{ method: 'POST', path: '/todos', key, body: JSON.stringify(todo(turn)) }]),
      1,
    ],
    [
      'list_todos',
      'GET /todos?limit=10 and its two summaries',
      () => ({ status: 'active' }),
      rest((space) => [
        get(space, '/todos?status=active&limit=10'),
        get(space, '/todos/summary?status=active'),
        get(space, '/todos/summary'),
      ]),
      3,
    ],
  ];
  return eras.flatMap((era): Pair[] => [
    {
      name: 'tools/list',
      era,
      mcp: workload(
        'tools/list',
        spaces.map(({ key }) => message(key, era, 'tools/list', {})),
      ),
      rest: undefined,
      requests: 0,
    },
    ...done.map(([name, over, of, calls, requests]) => ({
      name: `tools/call ${name}`,
      era,
      mcp: workload(name, mcp(era, name, of)),
      rest: workload(over, calls),
      requests,
    })),
  ]);
}
