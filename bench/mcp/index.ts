import type { BenchDatabase } from '../database.ts';
import { type Call, Loader } from '../loader.ts';
import { compare, type Side } from '../measure.ts';
import type { Options } from '../options.ts';
import { fine, table, times, whole } from '../report.ts';
import { startService } from '../servers.ts';
import { sampleSpaces } from '../workloads.ts';
import { type Pair, pairsOf } from './calls.ts';

/** A call over MCP beside the same over REST, on the same process, in turn. */
export interface McpFigure {
  pair: Pair;
  mcp: Side;
  rest: Side | undefined;
  /** CPU of the service for one call, divided by its CPU for the requests of REST that answer the same. */
  ratio: number;
  /** The same of the time of one call alone: the middle of calls sent one by one. */
  latency: number;
}

/** What a call over MCP may cost beside REST. */
const target = 2.5;

async function answerOf(url: string, { root = '/api/v1', path, method, key, body, headers }: Call): Promise<unknown> {
  const sent = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(`${url}${root}${path}`, {
    method,
    headers: { ...sent, ...headers },
    ...(body !== undefined && { body }),
  });
  return response.json();
}

/** @throws Error unless the calls of the pair are answered, with the todos that REST answers. */
async function verify(url: string, { name, mcp, rest, requests }: Pair): Promise<void> {
  for (const [place, call] of mcp.calls.slice(0, 8).entries()) {
    // biome-ignore lint/suspicious/noExplicitAny: whatever comes over the wire
    const { result } = (await answerOf(url, call)) as any;
    if (!result || result.isError) throw new Error(`${name} over MCP failed: ${JSON.stringify(result).slice(0, 500)}`);
    const other = rest?.calls[place * requests];
    if (other?.method !== 'GET') continue;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const answer = (await answerOf(url, other)) as any;
    const { todo, data = [todo] } = result.structuredContent;
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).join();
    if (ids(data) !== ids(answer.data ?? [answer]))
      throw new Error(`${name} answers other todos over MCP than over REST`);
  }
}

/** Measures MCP beside REST on one process of the service. */
export async function measureMcp(
  database: BenchDatabase,
  options: Options,
  say: (line: string) => void,
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
      const beside = pair.rest !== undefined;
      const figure: McpFigure = {
        pair,
        mcp: { ...sides.service, errors: sides.service.errors + errors },
        rest: beside ? sides.ceiling : undefined,
        ratio: beside ? sides.service.cpu / (requests * sides.ceiling.cpu) : Number.NaN,
        latency: beside ? (one?.p50 ?? Number.NaN) / together : Number.NaN,
      };
      figures.push(figure);
      say(
        `  ${pair.name} (${pair.era})`.padEnd(42) +
          `${fine(figure.mcp.cpu)} ms of CPU, ${fine(figure.ratio)} times REST`,
      );
    }
    return figures;
  } finally {
    loader.close();
    await service.stop();
    await database.db.rows(`delete from todos where title like 'Review the week %'`, []);
  }
}

export function mcpErrors(figures: readonly McpFigure[]): number {
  return figures.reduce((sum, { mcp, rest }) => sum + mcp.errors + (rest?.errors ?? 0), 0);
}

/** MCP beside REST as Markdown. */
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
  return `### MCP beside REST

One process of the service answers the same over both, in turn. The ratio is of the CPU of that process (target ≤ ${target});
list_todos is beside the three requests that answer the same, a page and two summaries.

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
