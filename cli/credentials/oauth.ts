import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { CliFailure, exitCodes } from '../failure.ts';
import { oneLine } from '../output/safe.ts';
import type { Grant } from './store.ts';

/*
 * Sign-in through the browser: OAuth 2.1 for native apps (RFC 8252) – authorization code with PKCE (S256), a redirect to
 * this machine, the client registered on the spot (RFC 7591), the issuer checked (RFC 9207).
 */

const patienceMs = 5 * 60_000;
const requestMs = 30_000;

interface ServerMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint: string;
  revocation_endpoint: string;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

const failed = (message: string, ...hints: string[]) => new CliFailure(exitCodes.credentials, message, hints);

async function ask<Body>(
  url: string,
  version: string,
  request: RequestInit = {},
): Promise<{ status: number; body: Body }> {
  const headers = { Accept: 'application/json', 'User-Agent': `Tandem-CLI/${version}`, ...request.headers };
  const signal = AbortSignal.timeout(requestMs);
  const answered = await fetch(url, { redirect: 'error', ...request, headers, signal }).catch(() => undefined);
  const body = (await answered?.json().catch(() => undefined)) as Body | undefined;
  if (!answered || body === undefined) {
    throw new CliFailure(exitCodes.unreachable, `${new URL(url).origin} does not answer as a Tandem service does.`);
  }
  return { status: answered.status, body };
}

/** RFC 8414: the path of an issuer goes behind the well-known one. */
async function readMetadata(url: string, version: string): Promise<ServerMetadata> {
  const { origin, pathname } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  const { body } = await ask<ServerMetadata>(`${origin}/.well-known/oauth-authorization-server${path}`, version);
  if (body.issuer?.replace(/\/$/, '') !== url) {
    const issuer = oneLine(String(body.issuer));
    throw failed(
      `The service calls itself ${issuer}, not ${url}.`,
      `Use that address: tandem login --url ${issuer} --browser`,
    );
  }
  const within = (address: unknown) => typeof address === 'string' && address.startsWith(`${url}/`);
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } = body;
  const all = [authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint];
  if (!all.every(within)) throw failed(`${url} names endpoints elsewhere, which a Tandem service does not.`);
  return body;
}

const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p>`;

function answerPage(response: ServerResponse, status: number, title: string, text: string): void {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'" };
  response.writeHead(status, { ...headers, 'Referrer-Policy': 'no-referrer', Connection: 'close' });
  response.end(page(title, text));
}

/** Listens on this machine alone, at a port that the system chooses. */
async function listen(): Promise<{ server: Server; redirectUri: string }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return { server, redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback` };
}

/** The code that the browser brings. A request that does not know `state` changes nothing. */
function receiveCode(server: Server, state: string, issuer: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(failed('Nobody decided in the browser within five minutes.', 'Start again: tandem login'));
    const timer = setTimeout(late, patienceMs);
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      if (request.method !== 'GET' || pathname !== '/callback' || searchParams.get('state') !== state) {
        return answerPage(response, 404, 'Not found', 'Nothing is here.');
      }
      clearTimeout(timer);
      const code = searchParams.get('code');
      if (code && searchParams.get('iss') === issuer) {
        answerPage(response, 200, 'You are signed in', 'Close this page and go back to the terminal.');
        return resolve(code);
      }
      answerPage(response, 400, 'You are not signed in', 'Go back to the terminal.');
      const why = oneLine(
        searchParams.get('error_description') ?? searchParams.get('error') ?? 'another issuer answered',
      );
      reject(failed(`The sign-in was refused: ${why}.`));
    });
  });
}

async function redeem(url: string, version: string, form: Record<string, string>): Promise<Tokens | undefined> {
  const request = { method: 'POST', body: new URLSearchParams(form) };
  const { status, body } = await ask<Tokens & { error?: string }>(url, version, request);
  if (status === 200 && typeof body.access_token === 'string') return body;
  if (status >= 500 || status === 429) throw new CliFailure(exitCodes.unreachable, `${url} answered ${status}.`);
  return undefined;
}

const endOf = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/**
 * Lets a person decide in the browser what this client may do. `show` is told the address to open.
 * @throws CliFailure when they refuse, or do not decide.
 */
export async function authorize(
  { url, version, scopes }: { url: string; version: string; scopes: readonly string[] },
  show: (address: string) => void,
): Promise<Grant> {
  const metadata = await readMetadata(url, version);
  const { server, redirectUri } = await listen();
  try {
    const registration = { client_name: `Tandem CLI on ${hostname()}`, redirect_uris: [redirectUri] };
    const { body: client } = await ask<{ client_id?: string }>(metadata.registration_endpoint, version, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(registration),
    });
    if (!client.client_id) throw failed(`${url} does not take this client.`);
    const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(24).toString('base64url')];
    const address = new URL(metadata.authorization_endpoint);
    const parameters = {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: scopes.join(' '),
      state,
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    const receiving = receiveCode(server, state, metadata.issuer);
    show(address.href);
    const code = await receiving;
    const form = { grant_type: 'authorization_code', client_id: client.client_id, code, redirect_uri: redirectUri };
    const tokens = await redeem(metadata.token_endpoint, version, { ...form, code_verifier: verifier });
    if (!tokens) throw failed('The service did not take the code of the browser.', 'Start again: tandem login');
    return {
      clientId: client.client_id,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      expiresAt: endOf(tokens.expires_in),
      tokenEndpoint: metadata.token_endpoint,
      revocationEndpoint: metadata.revocation_endpoint,
    };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** A new access token; undefined when the grant has ended. */
export async function renewGrant(grant: Grant, version: string): Promise<Grant | undefined> {
  const { clientId, refreshToken, tokenEndpoint } = grant;
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  const tokens = await redeem(tokenEndpoint, version, form);
  if (!tokens) return undefined;
  const { access_token: accessToken, refresh_token: next = refreshToken, expires_in } = tokens;
  return { ...grant, accessToken, refreshToken: next, expiresAt: endOf(expires_in) };
}

/** Ends the grant on the side of the service (RFC 7009). False when it could not be told. */
export async function revokeGrant({ clientId, refreshToken, revocationEndpoint }: Grant): Promise<boolean> {
  const body = new URLSearchParams({ token: refreshToken, client_id: clientId });
  const signal = AbortSignal.timeout(requestMs);
  return fetch(revocationEndpoint, { method: 'POST', body, redirect: 'error', signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
