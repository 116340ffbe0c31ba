import type { Plugin } from 'vite';

/*
 * As soon as `node:tls` is loaded, Node reads 140 certificates in a thread, which takes 14 ms of the processor.
 * `node:https` and `node:http2` load it too. Most processes encrypt nothing themselves, so what loads them at the start
 * does it when they are used.
 */

const files =
  /node_modules\/(postgres\/src\/connection|fastify\/lib\/server|ws\/lib\/websocket|prom-client\/lib\/pushgateway)\.js$/;
const loaded = /^(?:import \w+ from |const \w+ = require\()'(?:node:)?(?:tls|https|http2)'\)?;?$/gm;
const used = /\b(tls|https|http2)(?=\.(?:connect\b|create|request\b)| : http\b)/g;

/** The code of a module that loads them when it uses them. @throws Error where it loads none. */
function tlsWhenUsed(code: string): string {
  const changed = code.replace(loaded, '');
  if (changed === code) throw new Error('a package loads TLS in another way than scripts/tls-when-used.ts expects');
  return changed.replace(used, "process.getBuiltinModule('node:$1')");
}

export const tlsLate: Plugin = {
  name: 'tls-when-used',
  transform: (code, id) => (files.test(id) ? tlsWhenUsed(code) : null),
};
