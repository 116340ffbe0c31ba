import * as assert from 'uvu/assert';
import type { Answer, TestService } from './harness.ts';
import { raw } from './mcp-clients.ts';
import { authorizeUrl, Browser, decide, pkce, register, send } from './oauth.ts';
import type { Person } from './people.ts';

export const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

/** Whether a token opens anything at one of the processes, over REST and MCP alike. */
export async function opens(urls: readonly string[], token: string): Promise<boolean> {
  const [one = '', other = one] = urls;
  const [rest, mcp] = await Promise.all([
    send(one, 'GET /api/v1/me', { headers: { authorization: `Bearer ${token}` } }),
    raw(other, listTools, { key: token }),
  ]);
  assert.is(rest.status === 200, mcp.status === 200, `REST ${rest.status}, MCP ${mcp.status}`);
  if (rest.status !== 200) assert.equal([rest.status, mcp.status], [401, 401]);
  return rest.status === 200;
}

export interface NewCode {
  clientId: string;
  verifier: string;
  challenge: string;
  /** Where the browser landed. */
  landed: URL;
  code: string;
}

/** An authorization code of a person for a new client, not redeemed yet. */
export async function newCode(tandem: TestService, person: Person): Promise<NewCode> {
  const clientId = await register(tandem.url);
  const { verifier, challenge } = pkce();
  const address = authorizeUrl(tandem.url, clientId, challenge);
  const landed = await decide(new Browser(person), address, { workspaceId: person.session.workspace.id });
  return { clientId, verifier, challenge, landed, code: landed.searchParams.get('code') ?? '' };
}

/** Holds answers of the token endpoint to: none was successful, all say why as RFC 6749 §5.2 has it. */
export function assertRefused(answers: readonly Answer[], about: string, error = 'invalid_grant'): void {
  for (const { status, body, text } of answers) {
    assert.is(status, 400, `${about}: ${text}`);
    assert.is(body.error, error, `${about}: ${text}`);
  }
}
