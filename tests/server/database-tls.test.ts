import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spawnService, stopProcesses } from '../support/processes.ts';

const test = suite('a database that is reached by TLS');

test.after(() => stopProcesses());

/** The code of `SSLRequest` (PostgreSQL, message formats). */
const sslRequest = 80_877_103;
/** The type of a record of TLS that has a handshake (RFC 8446, section 5.1). */
const handshake = 0x16;

test('the built service asks for TLS, and begins a handshake where the server agrees', async () => {
  const hello = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (asked) => {
      assert.is(asked.readInt32BE(4), sslRequest);
      socket.once('data', hello.resolve);
      socket.write('S');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const service = spawnService({ DATABASE_URL: `postgres://tandem:secret@127.0.0.1:${port}/tandem?sslmode=require` });
  const first = await Promise.race([hello.promise, service.exited]);
  assert.ok(Buffer.isBuffer(first), `it ended: ${service.output()}`);
  assert.is((first as Buffer)[0], handshake);
  await service.stop();
  server.close();
});

test.run();
