import { compare, type Side } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { fine, quotient, times, whole } from '../harness/figures.ts';
import { type Call, Loader } from '../harness/loader.ts';
import type { Options } from '../harness/options.ts';
import { table } from '../harness/report.ts';
import { startService } from '../harness/servers.ts';
import { sampleSpaces } from '../harness/spaces.ts';
import { type Pair, pairsOf } from './calls.ts';

/** A call over MCP compared with REST on the same process. */
export interface McpFigure {
  pair: Pair;
  mcp: Side;
  rest: Side | undefined;
  /** CPU of the service per call, divided by its CPU for the equivalent REST requests. */
  ratio: number;
  /** Ratio of the median latencies of calls sent one by one. */
  latency: number;
}

/** Maximum ratio of CPU, MCP to REST. */
const target = 1.5;

async function answerOf(url: string, { root = '/api/v1', path, method, key, body, headers }: Call): Promise<unknown> {
  const sent = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(`${url}${root}${path}`, {
    method,
    headers: { ...sent, ...headers },
    ...(body !== undefined && { body }),
  });
  return response.json();
}

/** @throws Error unless the calls succeed and return the same todos as REST. */
async function verify(url: string, { name, mcp, rest, requests }: Pair): Promise<void> {
  for (const [place, call] of mcp.calls.slice(0, 8).entries()) {
    // biome-ignore lint/suspicious/noExplicitAny: an unvalidated response
    const { result } = (await answerOf(url, call)) as any;
    if (!result || result.isError) throw new Error(`${name} over MCP failed: ${JSON.stringify(result).slice(0, 500)}`);
    const other = rest?.calls[place * requests];
    if (other?.method !== 'GET') continue;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const answer = (await answerOf(url, other)) as any;
    const { todo, data = [todo] } = result.structuredContent;
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).join();
    if (ids(data) !== ids(answer.data ?? [answer]))
      throw new Error(`${name} returns other todos over MCP than over REST`);
  }
}

/** Measures MCP and REST on one process of the service. */
export async function measureMcp(
  database: BenchDatabase,
  options: Options,
  print: (line: string) => void,
): Promise<McpFigure[]> {
  const [key = ''] = database.keys;
  const service = await startService({ DATABASE_URL: database.url }, key);
  const loader = new Loader();
  try {
    const [, ...spaces] = await sampleSpaces(database, 50);
    const figures: McpFigure[] = [];
    for (const pair of pairsOf(spaces)) {
      const { mcp, rest = mcp, requests } = pair;
      await verify(service.url, pair);
      const sides = await compare(loader, [service, service], [mcp, rest], options);
      const [one] = await loader.probe(service.url, mcp.calls, options.probes, 1);
      const others = await loader.probe(service.url, rest.calls, options.probes * requests, requests);
      const together = others.reduce((sum, { p50 }) => sum + p50, 0);
      const errors = (one?.errors ?? 0) + (others[0]?.errors ?? 0);
      const isCompared = pair.rest !== undefined;
      const figure: McpFigure = {
        pair,
        mcp: { ...sides.service, errors: sides.service.errors + errors },
        rest: isCompared ? sides.ceiling : undefined,
        ratio: isCompared ? quotient(sides.service.cpu, requests * sides.ceiling.cpu) : Number.NaN,
        latency: isCompared ? quotient(one?.p50 ?? Number.NaN, together) : Number.NaN,
      };
      figures.push(figure);
      print(
        `  ${pair.name} (${pair.era})`.padEnd(42) +
          `${fine(figure.mcp.cpu)} ms of CPU${isCompared ? `, ${fine(figure.ratio)} times REST` : ''}`,
      );
    }
    return figures;
  } finally {
    loader.close();
    await service.stop();
    await database.db.rows(`delete from todos where title like 'Review the week %'`, []);
  }
}

/** Number of failed requests. */
export function mcpErrors(figures: readonly McpFigure[]): number {
  return figures.reduce((sum, { mcp, rest }) => sum + mcp.errors + (rest?.errors ?? 0), 0);
}

/** MCP compared with REST, as Markdown. Missed targets are bold. */
export function reportMcp(figures: readonly McpFigure[]): string {
  const rows = figures.map(({ pair, mcp, rest, ratio, latency }) => [
    `${pair.name}, ${pair.era}`,
    whole(mcp.perSecond),
    times(mcp.p50, mcp.p99),
    fine(mcp.cpu),
    rest ? fine(rest.cpu * pair.requests) : '',
    ratio > target ? `**${fine(ratio)}**` : rest ? fine(ratio) : '',
    rest ? fine(latency) : '',
    `${mcp.errors + (rest?.errors ?? 0)}`,
  ]);
  return `### MCP compared with REST

One process of the service handles the same work over both, in turn. The ratio is of the CPU of that process (target ≤ ${target});
list_todos is compared with the three equivalent requests: a page and two summaries.

${table(
  [
    'call',
    'calls/s',
    'p50 / p99 ms',
    'CPU ms per call',
    'CPU ms over REST',
    'ratio',
    'one at a time, ratio of p50',
    'errors',
  ],
  rows,
)}`;
}
