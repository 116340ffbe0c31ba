import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { UnauthorizedError as OldUnauthorized } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as assert from 'uvu/assert';
import type { Wallet } from './oauth-wallet.ts';

/** An MCP client of either SDK, which lets a person decide through OAuth. */
export interface Assistant {
  /** Connects, or rejects when the person has to decide first. */
  connect(): Promise<void>;
  finish(landed: URL): Promise<void>;
  call(name: string, input: object): Promise<{ isError?: boolean | undefined }>;
}

type Generation = (url: string, wallet: Wallet) => Assistant;
const self = { name: 'assistant', version: '1.0.0' };
const endpoint = (url: string) => new URL(`${url}/mcp`);

const current: Generation = (url, wallet) => {
  let client = new Client(self, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const transport = () => new StreamableHTTPClientTransport(endpoint(url), { authProvider: wallet });
  return {
    connect: () => {
      client = new Client(self, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      return client.connect(transport());
    },
    finish: (landed) => transport().finishAuth(landed.searchParams),
    call: (name, input) => client.callTool({ name, arguments: { ...input } }),
  };
};

const former: Generation = (url, wallet) => {
  let client = new OldClient(self);
  // biome-ignore lint/suspicious/noExplicitAny: its types and exactOptionalPropertyTypes disagree
  const transport = (): any => new OldTransport(endpoint(url), { authProvider: wallet as any });
  return {
    connect: () => {
      client = new OldClient(self);
      return client.connect(transport());
    },
    finish: (landed) => transport().finishAuth(landed.searchParams.get('code') ?? ''),
    call: (name, input) => client.callTool({ name, arguments: { ...input } }) as ReturnType<Assistant['call']>,
  };
};

/** The SDKs of both generations: 2.x speaks the protocol of 2026-07-28, 1.x the ones before. */
export const generations = { current, former };

/** Runs `work`, which must end in the SDK sending the person to our consent page. */
export async function mustAsk(work: Promise<unknown>, wallet: Wallet): Promise<void> {
  wallet.address = '';
  const outcome = await work.then(
    () => 'done',
    (error: unknown) => error,
  );
  assert.ok(
    outcome instanceof UnauthorizedError || outcome instanceof OldUnauthorized || wallet.address !== '',
    String(outcome),
  );
  assert.match(wallet.address, '/oauth/authorize?');
}
