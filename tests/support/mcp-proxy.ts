import { createServer, request } from 'node:http';

/** A loopback proxy that adds a bearer, for clients that cannot send one. Host and Origin pass through. */
export async function bearerProxy(port: number, target: () => { port: number; key: string }) {
  const server = createServer((incoming, outgoing) => {
    const { port: to, key } = target();
    const { url, method, headers } = incoming;
    const onward = { host: '127.0.0.1', port: to, path: url, method, setHost: false };
    const sent = request({ ...onward, headers: { ...headers, authorization: `Bearer ${key}` } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
