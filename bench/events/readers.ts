import { connect } from 'node:net';
import { clockMs } from '../agents/tokens.ts';

/*
 * Many readers of the stream of events in a process of their own, each on a connection of its own. They look at as
 * little of what comes as they can: thousands of them share a machine with the service.
 */

/** An order to the readers: `count` more connections, opened `atOnce` at a time. */
export interface Opening {
  url: string;
  key: string;
  count: number;
  atOnce: number;
}

/** What the readers send: all are open; when each of them had an event (`clockMs`); what went wrong. */
export type Report = { opened: number } | { sequence: number; times: number[] } | { fault: string };

const report = (message: Report) => process.send?.(message);

let open = 0;
const timesOf = new Map<number, number[]>();

function received(sequence: number): void {
  const times = timesOf.get(sequence) ?? [];
  timesOf.set(sequence, times);
  times.push(clockMs());
  if (times.length < open) return;
  timesOf.delete(sequence);
  report({ sequence, times });
}

/** Opens one stream; resolves when its position has come. */
function follow({ url, key }: Opening): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const opened = Promise.withResolvers<void>();
  let [rest, previous] = ['', ''];
  const read = (line: string) => {
    if (line === 'event: position') opened.resolve();
    if (previous === 'event: change' && line.startsWith('id: ')) received(Number(line.slice(4)));
    previous = line;
  };
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) read(line);
  });
  socket.on('error', ({ message }) => report({ fault: message }));
  socket.on('close', () => report({ fault: 'a stream was closed' }));
  const headers = [`Host: ${hostname}:${port}`, `Authorization: Bearer ${key}`, 'Accept: text/event-stream'];
  socket.write(`GET /api/v1/events/stream HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  return opened.promise;
}

process.on('message', async (opening: Opening) => {
  for (let left = opening.count; left > 0; left -= opening.atOnce) {
    await Promise.all(Array.from({ length: Math.min(left, opening.atOnce) }, () => follow(opening)));
  }
  open += opening.count;
  report({ opened: open });
});
process.on('disconnect', () => process.exit(0));
