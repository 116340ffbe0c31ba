import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { type Addresses, requireOwnAddress } from '../../adapters/mcp/origin.ts';
import type { ServiceSettings } from '../../domain/context.ts';
import { Failure, invalid, unavailable } from '../../domain/errors.ts';
import { badToken } from './claims.ts';
import { headerBytes } from './frames.ts';
import type { Intake } from './intake.ts';
import { defaultLimits } from './times.ts';

const path = '/recordings';

/**
 * Whether a request to upgrade is for this socket. Any other is answered as if it had not asked for one (RFC 9110
 * §7.8), as Node does without a listener for upgrades.
 */
export function wantsSocket({ url = '', headers }: IncomingMessage): boolean {
  return url.split('?')[0] === path && headers.upgrade?.toLowerCase() === 'websocket';
}

interface Upgrade {
  socket: Duplex;
  head: Buffer;
}

const protocolName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const tokenName = /^tandem\.([\w-]{43})$/;

/** The subprotocols that a client offers. @throws Failure 400 (RFC 6455 §4.1). */
function offered({ headers }: IncomingMessage): string[] {
  const names = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const isValid = names.every((name) => protocolName.test(name)) && new Set(names).size === names.length;
  if (headers['sec-websocket-protocol'] !== undefined && !isValid) {
    throw invalid('Sec-WebSocket-Protocol', 'Sec-WebSocket-Protocol must be names separated by commas.');
  }
  return names;
}

/** @throws Failure 400 (RFC 6455 §4.2.1). */
function requireHandshake({ headers }: IncomingMessage): void {
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')) {
    throw invalid('Sec-WebSocket-Key', 'Sec-WebSocket-Key must be 16 bytes in base64.');
  }
  if (headers['sec-websocket-version'] === '13') return;
  const more = { headers: { 'Sec-WebSocket-Version': '13' } };
  throw invalid('Sec-WebSocket-Version', 'This speaks version 13 of the WebSocket protocol.', more);
}

/** @throws Failure 401 when no subprotocol carries a token. */
function tokenOf(names: readonly string[]): string {
  const token = names.map((name) => tokenName.exec(name)?.[1]).find((each) => each !== undefined);
  if (token !== undefined) return token;
  const message = 'Offer the token of the recording session as the subprotocol “tandem.<token>”.';
  throw badToken(message, names.some((name) => name.startsWith('tandem.')) ? 'invalid_api_key' : 'missing_credentials');
}

/**
 * The recording socket at `/recordings`. A request to upgrade passes the app like any other, so that it is counted and
 * refused in the same way. Order of checks: 429, Host and Origin (403), no upgrade (426), shape (400), token (401),
 * state (409).
 */
export function mountRecordings(
  app: FastifyInstance,
  intake: Intake,
  service: ServiceSettings,
  addresses: Addresses,
  shutdownSeconds: number,
): void {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const requestIds = new WeakMap<IncomingMessage, string>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: defaultLimits.maxChunkBytes + headerBytes,
    handleProtocols: (names) => [...names].find((name) => tokenName.test(name)) ?? false,
  });
  sockets.on('headers', (lines: string[], request: IncomingMessage) => {
    lines.push(`X-Request-Id: ${requestIds.get(request)}`);
  });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    response.once('finish', () => socket.end(() => socket.destroy()));
    app.routing(request, response);
  });

  /** @throws Failure 426, 503. */
  const upgradeOf = ({ raw }: FastifyRequest): Upgrade => {
    const upgrade = upgrades.get(raw);
    const headers = { Upgrade: 'websocket', Connection: 'Upgrade' };
    if (!upgrade) {
      const message = 'This address takes WebSocket connections; docs/recording.md describes them.';
      throw new Failure({ status: 426, code: 'validation_failed', message, headers });
    }
    if (intake.isClosing) throw unavailable();
    return upgrade;
  };

  app.get(path, {
    onRequest: async (request) => requireOwnAddress(request, addresses, service.publicUrl),
    handler: async (request, reply) => {
      const { raw, id, log } = request;
      const { socket, head } = upgradeOf(request);
      requireHandshake(raw);
      const admission = await intake.admit(tokenOf(offered(raw)));
      const { recordingId } = admission.claim;
      log.debug({ recordingId }, 'recorder connected');
      requestIds.set(raw, id);
      reply.hijack();
      reply.raw.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0]);
      let isServed = false;
      sockets.handleUpgrade(raw, socket, head, (connected) => {
        isServed = true;
        intake.serve(connected, admission);
      });
      if (!isServed) {
        await intake
          .abandon(admission)
          .catch((error: unknown) => log.debug({ err: error }, 'recording claim not released'));
      }
    },
  });
  let closed: Promise<void> | undefined;
  app.addHook('preClose', async () => {
    closed = intake.close(shutdownSeconds);
  });
  app.addHook('onClose', () => closed);
}
