import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the bare page loads, in bytes. */
export interface BareSizes {
  script: number;
  data: number;
}

/** Bytes that cannot be compressed, as text. */
const noise = (bytes: number) => randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64');

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Bare</title><link rel="icon" href="data:,"><script type="module" src="/script.js"></script><main></main></html>`;
/** A list of links, as large as rows of todos. */
const program = `const { rows } = await (await fetch('/data')).json();
for (const row of rows) {
  const link = Object.assign(document.createElement('a'), { href: '/' + row, textContent: 'Water the plants of room ' + row });
  Object.assign(link.style, { display: 'block', height: '36px' });
  document.querySelector('main').append(link);
}`;

/**
 * Serves a page that loads as many bytes in as many steps as a page of ours (document, script, data), and does nothing
 * but show a list: what is left of the time of ours is what ours costs. The script is kept by the browser, as ours are.
 */
export async function serveBarePage({ script, data }: BareSizes): Promise<{ url: string; close(): void }> {
  const answers: Record<string, [type: string, body: string, caching: string]> = {
    '/': ['text/html', page, 'no-cache'],
    '/script.js': ['text/javascript', `${program}\n//${noise(script - program.length)}`, 'max-age=31536000, immutable'],
    '/data': [
      'application/json',
      JSON.stringify({ rows: Array.from({ length: 50 }, (_, row) => row), noise: noise(data) }),
      'no-store',
    ],
  };
  const server = createServer((request, response) => {
    const [type, body, caching] = answers[request.url ?? ''] ?? ['text/plain', 'not found', 'no-store'];
    response.writeHead(200, { 'content-type': type, 'cache-control': caching }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
