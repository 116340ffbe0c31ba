import { Agent, request } from 'node:http';
import autocannon from 'autocannon';
import { quantile, quotient } from './figures.ts';
import { type Call, type LoadResult, newId, type Order } from './loader.ts';

/* The load generator, a process of its own: receives orders from its parent process and sends back results. */

const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });

function headersOf({ key, body, headers }: Call): Record<string, string> {
  const typed = body !== undefined && { 'content-type': 'application/json' };
  return { authorization: `Bearer ${key}`, ...typed, ...headers };
}

function pathOf({ root = '/api/v1', path }: Call): string {
  return `${root}${path}`;
}

/** Keeps `connections` busy; each cycles through the calls from its own offset. */
async function load({ url, calls, connections, seconds }: Order): Promise<LoadResult> {
  let faults = 0;
  const requests = calls.map(({ fault, ...call }) => ({
    method: call.method,
    path: pathOf(call),
    headers: headersOf(call),
    ...(call.body !== undefined && { body: call.body }),
    ...(fault !== undefined && {
      onResponse: (_status: number, body: string) => {
        if (body.includes(fault)) faults++;
      },
    }),
  }));
  let client = 0;
  const latencies: number[] = [];
  let [first, last] = [0, 0];
  const run = autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 100,
    // Each request is then built anew, which costs the generator time.
    idReplacement: calls.some(({ headers }) => Object.values(headers ?? {}).includes(newId)),
    setupClient: (each) => {
      const start = Math.floor((client++ * requests.length) / connections);
      each.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
    },
  });
  run.on('response', (_client: unknown, _status: number, _bytes: number, milliseconds: number) => {
    last = performance.now();
    first ||= last;
    latencies.push(milliseconds);
  });
  const { errors, timeouts, non2xx } = await run;
  return {
    answered: latencies.length,
    perSecond: quotient(latencies.length, (last - first) / 1000),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    errors: errors + timeouts + non2xx + faults,
  };
}

function send(url: string, call: Call): Promise<{ status: number; milliseconds: number }> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const sent = request(`${url}${pathOf(call)}`, {
      agent: keepAlive,
      method: call.method,
      headers: headersOf(call),
    });
    sent.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode ?? 0, milliseconds: performance.now() - begun });
      });
    });
    sent.end(call.body);
  });
}

/** Sends `times` calls one by one; medians for each index in `calls` modulo `groups`. */
async function probe({ url, calls, times, groups }: Order): Promise<LoadResult[]> {
  const latencies = Array.from({ length: groups }, (): number[] => []);
  let errors = 0;
  for (let turn = 0; turn < times; turn++) {
    const place = turn % calls.length;
    const call = calls[place];
    if (!call) continue;
    const { status, milliseconds } = await send(url, call);
    if (status < 200 || status > 299) errors++;
    if (turn >= times / 10) latencies[place % groups]?.push(milliseconds);
  }
  return latencies.map((each) => {
    const p50 = quantile(each, 0.5);
    return { answered: each.length, perSecond: 1000 / p50, p50, p99: quantile(each, 0.99), errors };
  });
}

process.on('message', (order: Order) => {
  const work = order.kind === 'load' ? load(order).then((result) => [result]) : probe(order);
  work.then(
    (results) => process.send?.({ results }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
