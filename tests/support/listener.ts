import { createServer, type Server, type Socket } from 'node:net';

/** A TCP listener on loopback that counts who connects to it, and answers nothing. */
export interface Listener {
  port: number;
  /** Connections that were accepted. */
  accepted(): number;
  close(): Promise<void>;
}

function listen(server: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false)).listen(port, host, () => resolve(true));
  });
}

/** Starts one on 127.0.0.1 and, where the machine has IPv6, on ::1 at the same port. Connections are closed at once. */
export async function startListener(): Promise<Listener> {
  let accepted = 0;
  const onSocket = (socket: Socket) => {
    accepted++;
    socket.on('error', () => {}).destroy();
  };
  const ipv4 = createServer(onSocket);
  await listen(ipv4, 0, '127.0.0.1');
  const address = ipv4.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const { port } = address;
  const ipv6 = createServer(onSocket);
  const servers = (await listen(ipv6, port, '::1')) ? [ipv4, ipv6] : [ipv4];
  return {
    port,
    accepted: () => accepted,
    close: async () => {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Every way to write the address of this machine as the host of a URL. */
export const loopbackHosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
];
