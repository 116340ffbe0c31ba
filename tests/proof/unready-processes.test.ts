import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../support/frame.ts';
import { type Balancer, behindBalancer, startBalancer } from '../support/haproxy.ts';
import { until } from '../support/until.ts';

const test = suite('processes behind HAProxy that are not ready');
const names = ['first', 'second'] as const;
const ready = new Set<string>();
let servers: Server[] = [];
let balancer: Balancer;

test.after(async () => {
  await balancer?.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Answers as a process: ready or not, a refusal in JSON where it is not. */
function processOf(name: string): Server {
  return createServer((request, response) => {
    const status = ready.has(name) ? 200 : 503;
    if (request.url === '/readyz') response.writeHead(status).end();
    else
      response
        .writeHead(status, { 'content-type': 'application/json', 'retry-after': '5' })
        .end(JSON.stringify({ name }));
  });
}

const promise = behindBalancer(test, 'processes behind HAProxy that are not ready');

promise('are asked while no other is: the client gets the answer of the service', async () => {
  servers = names.map(processOf);
  const ports = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  for (const name of names) ready.add(name);
  balancer = await startBalancer(ports);
  await balancer.untilUp(2);
  ready.clear();
  await balancer.untilUp(0);
  const answered = new Set<string>();
  for (let n = 0; n < 8; n++) {
    const { status, headers, body } = await ask(`${balancer.url}/api/v1/todos`);
    assert.equal([status, headers.get('retry-after')], [503, '5']);
    answered.add(body.name);
  }
  assert.equal([...answered].sort(), [...names], 'both have a share');
  ready.add('second');
  await balancer.untilUp(1);
  await until(async () => (await ask(`${balancer.url}/api/v1/todos`)).status === 200);
  for (let n = 0; n < 8; n++) assert.is((await ask(`${balancer.url}/api/v1/todos`)).body.name, 'second');
});

test.run();
