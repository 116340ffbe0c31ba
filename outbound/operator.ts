import type { Agent } from 'undici';
import { createClient, type Send } from './client.ts';
import type { Limits } from './exchange.ts';

/** More than turns of agents can run at a time in one process: the callers limit how many requests they make. */
const maxConnections = 1024;
const connectMs = 10_000;

/** Connections to what the operator configured; kept open for 4 s, or as long as the other side says up to a minute. */
async function connectionPool(): Promise<Agent> {
  const undici = await import('undici');
  return new undici.Agent({
    connections: maxConnections,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 60_000,
    connect: { timeout: connectMs },
  });
}

let made: Promise<Agent> | undefined;

/** One for all clients. */
function agent(): Promise<Agent> {
  made ??= connectionPool();
  return made;
}

/**
 * A client for addresses of the operator's settings (models, transcription, S3): http and https, private networks
 * included. `onBytes` is called with the signal of a request when something of its response arrives.
 */
export function operatorClient(limits: Limits, onBytes?: (signal: AbortSignal | null) => void): Send {
  return createClient({ agent, limits, onBytes });
}
