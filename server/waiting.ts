import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { wantsPage } from '../adapters/pages/mount.ts';
import { newId } from '../db/ids.ts';
import { errorBody, Failure } from '../domain/errors.ts';
import { securityHeaders } from './access/response-headers.ts';
import type { Config } from './config.ts';
import { publicAddress } from './service-settings.ts';

/** Seconds until a client should ask again; the page does so by itself. */
const retrySeconds = 5;

const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 34rem; margin: 15vh auto 0; padding: 0 1.5rem }`;

// A script, not only a meta element: for an address with a fragment (`/welcome#…`) a browser may take the refresh for a
// jump within the page.
const script = `setTimeout(() => location.reload(), ${retrySeconds * 1000})`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tandem is starting</title>
<link rel="icon" href="data:,">
<noscript><meta http-equiv="refresh" content="${retrySeconds}"></noscript>
<style>${style}</style>
</head>
<body>
<main>
<h1>Tandem is starting</h1>
<p role="status">The service waits for its database. This page loads again every ${retrySeconds} seconds until the service is ready.</p>
<p>If you run this service: check that the database is running and that <code>DATABASE_URL</code> is right. The log
of the service has the reason.</p>
</main>
<script>${script}</script>
</body>
</html>
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8' };

/**
 * Answers for a process that waits for its database: `/healthz` with 200 and everything else with 503, as a page where
 * a browser asks for one, else as JSON. @throws Error (`EADDRINUSE` …) when it cannot listen.
 */
export async function listenWhileWaiting({ HOST: host, PORT: port, ...config }: Config): Promise<Server> {
  const message = 'The service is starting and waits for its database. Try again in a few seconds.';
  const problem = { status: 503, code: 'internal_error', reason: 'unavailable', message } as const;
  const failure = new Failure({ ...problem, retryAfterSeconds: retrySeconds });
  const publicUrl = publicAddress({ ...config, HOST: host }, port);

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const id = newId();
    const send = (status: number, text: string, headers: Record<string, string>) => {
      response.writeHead(status, {
        ...securityHeaders(publicUrl),
        ...headers,
        'X-Request-Id': id,
        'Content-Length': Buffer.byteLength(text),
        // The service itself takes the port soon.
        Connection: 'close',
      });
      response.end(text);
    };
    const path = request.url?.split('?')[0];
    if (path === '/healthz') return send(200, JSON.stringify({ status: 'ok' }), jsonHeaders);
    if (path === '/readyz') return send(503, JSON.stringify({ status: 'waiting for the database' }), jsonHeaders);
    const unavailable = { 'Retry-After': String(retrySeconds), Vary: 'Accept' };
    if (wantsPage(request)) return send(503, page, { ...unavailable, ...pageHeaders });
    const body = JSON.stringify(errorBody(failure, id, `${publicUrl}/docs/errors`));
    send(503, body, { ...unavailable, ...jsonHeaders });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return server;
}
