import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What went over the wire to a database. */
export interface Traffic {
  /** Statements that were run, `begin` and `commit` among them. */
  statements: number;
  /** Times that a connection sent something: statements that are sent together count once. */
  sends: number;
}

export interface Wire extends Traffic {
  /** The database through the wire. */
  url: string;
  close(): Promise<void>;
}

/**
 * Counts the messages Execute and Query of one connection:
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function counter(onStatement: () => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      // Only the first message has no letter in front of its length.
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return;
      const size = head + rest.readUInt32BE(head);
      if (rest.length < size) return;
      if (started && (rest[0] === 0x45 || rest[0] === 0x51)) onStatement();
      started = true;
      rest = rest.subarray(size);
    }
  };
}

/** A wire to the PostgreSQL at `url`, without TLS, that counts what is sent to it. */
export async function openWire(url: string): Promise<Wire> {
  const target = new URL(url);
  const traffic: Traffic = { statements: 0, sends: 0 };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    const count = counter(() => {
      traffic.statements++;
    });
    client.on('data', (chunk: Buffer) => {
      traffic.sends++;
      count(chunk);
    });
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from));
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no free port');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = `${address.port}`;
  return {
    url: through.href,
    get statements() {
      return traffic.statements;
    },
    get sends() {
      return traffic.sends;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
