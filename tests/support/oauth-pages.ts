import { createServer } from 'node:http';
import { callback } from './oauth.ts';

/** A site that publishes metadata documents of clients (CIMD). */
export interface ClientPages {
  origin: string;
  /** Publishes a document; returns the client id that it gives. */
  publish(path: string, more?: Record<string, unknown>): string;
  /** Answers every request with this status from now on; 0: as published. */
  fail(status: number): void;
  /** Reaches the site, which no request of the service does: it is on a private address. */
  reach: typeof fetch;
  close(): Promise<void>;
}

/** Starts the site on loopback, without TLS: client ids begin with https, so `reach` takes the s away. */
export async function clientPages(): Promise<ClientPages> {
  const documents = new Map<string, object>();
  let failing = 0;
  const server = createServer((request, response) => {
    if (failing > 0) return response.writeHead(failing).end();
    const document = documents.get(request.url ?? '');
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const origin = `https://127.0.0.1:${address.port}`;
  return {
    origin,
    publish: (path, more = {}) => {
      const client_id = `${origin}${path}`;
      documents.set(path, { client_id, client_name: 'Published', redirect_uris: [callback], ...more });
      return client_id;
    },
    fail: (status) => {
      failing = status;
    },
    reach: (url, { headers } = {}) => fetch(String(url).replace(/^https:/, 'http:'), { ...(headers && { headers }) }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
