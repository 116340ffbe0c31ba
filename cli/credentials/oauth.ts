import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliFailure, exitCodes } from '../model/failure.ts';
import { Retries } from '../model/retries.ts';
import { oneLine } from '../terminal/safe.ts';
import type { Grant } from './store.ts';

/*
 * Sign-in through the browser: OAuth 2.1 for native apps (RFC 8252) – authorization code with PKCE (S256), a loopback
 * redirect, dynamic client registration (RFC 7591), issuer check (RFC 9207).
 */

const decisionTimeoutMs = 5 * 60_000;
const requestTimeoutMs = 15_000;
/** The last try begins within 40 s: a refresh token whose answer was lost works for 60 s more. */
const renewalLimits = { maxTries: 3, maxTotalWaitMs: 10_000 };

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

async function requestJson<Body>(
  url: string,
  version: string,
  request: RequestInit = {},
): Promise<{ status: number; headers: Headers; body: Body }> {
  const headers = { Accept: 'application/json', 'User-Agent': `Tandem-CLI/${version}`, ...request.headers };
  const signal = AbortSignal.timeout(requestTimeoutMs);
  const response = await fetch(url, { redirect: 'error', ...request, headers, signal }).catch(() => undefined);
  const body = (await response?.json().catch(() => undefined)) as Body | undefined;
  if (!response || body === undefined) {
    throw new CliFailure(exitCodes.unreachable, `${new URL(url).origin} did not respond like a Tandem service.`);
  }
  return { status: response.status, headers: response.headers, body };
}

/** RFC 8414: the path of an issuer follows the well-known path. */
async function readMetadata(url: string, version: string): Promise<ServerMetadata> {
  const { origin, pathname } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  const { body } = await requestJson<ServerMetadata>(
    `${origin}/.well-known/oauth-authorization-server${path}`,
    version,
  );
  if (body.issuer?.replace(/\/$/, '') !== url) {
    const issuer = oneLine(String(body.issuer));
    throw failed(
      `The issuer of the service is ${issuer}, not ${url}.`,
      `Use that address: tandem login --url ${issuer} --browser`,
    );
  }
  const within = (address: unknown) => typeof address === 'string' && address.startsWith(`${url}/`);
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } = body;
  const all = [authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint];
  if (!all.every(within)) throw failed(`${url} lists OAuth endpoints at another address.`);
  return body;
}

const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p>`;

function respond(response: ServerResponse, status: number, title: string, text: string): void {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'" };
  response.writeHead(status, { ...headers, 'Referrer-Policy': 'no-referrer', Connection: 'close' });
  response.end(page(title, text));
}

/** Listens on loopback, on a free port. */
async function listen(): Promise<{ server: Server; redirectUri: string }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return { server, redirectUri: `${redirectOrigin}:${(server.address() as AddressInfo).port}/callback` };
}

const redirectOrigin = 'http://127.0.0.1';

/** Resolves with the code of the redirect. Requests without the right `state` are ignored. */
function receiveCode(server: Server, state: string, issuer: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = () => reject(failed('No decision in the browser within five minutes.', 'Start again: tandem login'));
    const timer = setTimeout(late, decisionTimeoutMs);
    server.on('request', (request, response) => {
      const target = request.url ?? '/';
      // `//` is a valid request target and no address.
      const { pathname, searchParams } = new URL(URL.canParse(target, redirectOrigin) ? target : '/', redirectOrigin);
      if (request.method !== 'GET' || pathname !== '/callback' || searchParams.get('state') !== state) {
        return respond(response, 404, 'Not found', 'This page does not exist.');
      }
      clearTimeout(timer);
      const code = searchParams.get('code');
      if (code && searchParams.get('iss') === issuer) {
        respond(response, 200, 'You are signed in', 'Close this page and go back to the terminal.');
        return resolve(code);
      }
      respond(response, 400, 'You are not signed in', 'Go back to the terminal.');
      const why = oneLine(
        searchParams.get('error_description') ?? searchParams.get('error') ?? 'the response is from another issuer',
      );
      reject(failed(`Sign-in denied: ${why}.`));
    });
  });
}

/** Sends a form to the token endpoint; undefined when it is refused. @throws CliFailure 8 when nothing is decided. */
async function redeem(
  url: string,
  version: string,
  form: Record<string, string>,
  retries: Retries,
): Promise<Tokens | undefined> {
  const request = { method: 'POST', body: new URLSearchParams(form) };
  for (;;) {
    let failure: unknown;
    let asked: Headers | undefined;
    try {
      const { status, headers, body } = await requestJson<Tokens>(url, version, request);
      if (status === 200 && typeof body.access_token === 'string') return body;
      if (status < 500 && status !== 429) return undefined;
      failure = new CliFailure(exitCodes.unreachable, `${url} returned ${status}.`);
      asked = headers;
    } catch (error) {
      failure = error;
    }
    const wait = retries.next(asked);
    if (wait === undefined) throw failure;
    await sleep(wait);
  }
}

const endOf = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/**
 * Gets a grant by a decision in the browser. `show` is called with the address to open.
 * @throws CliFailure when access is denied or the decision times out.
 */
export async function authorize(
  { url, version, scopes }: { url: string; version: string; scopes: readonly string[] },
  show: (address: string) => void,
): Promise<Grant> {
  const metadata = await readMetadata(url, version);
  const { server, redirectUri } = await listen();
  try {
    const registration = { client_name: `Tandem CLI on ${hostname()}`, redirect_uris: [redirectUri] };
    const { body: client } = await requestJson<{ client_id?: string }>(metadata.registration_endpoint, version, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(registration),
    });
    if (!client.client_id) throw failed(`${url} did not register this client.`);
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
    const received = receiveCode(server, state, metadata.issuer);
    show(address.href);
    const code = await received;
    const form = { grant_type: 'authorization_code', client_id: client.client_id, code, redirect_uri: redirectUri };
    // A code that is sent twice ends the grant.
    const once = new Retries({ maxTries: 1 });
    const tokens = await redeem(metadata.token_endpoint, version, { ...form, code_verifier: verifier }, once);
    if (!tokens) throw failed('The service did not accept the authorization code.', 'Start again: tandem login');
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

/**
 * Gets a new access token; undefined when the grant has ended. @throws CliFailure 8 after a few tries within a minute.
 */
export async function renewGrant(grant: Grant, version: string): Promise<Grant | undefined> {
  const { clientId, refreshToken, tokenEndpoint } = grant;
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  const tokens = await redeem(tokenEndpoint, version, form, new Retries(renewalLimits));
  if (!tokens) return undefined;
  const { access_token: accessToken, refresh_token: next = refreshToken, expires_in } = tokens;
  return { ...grant, accessToken, refreshToken: next, expiresAt: endOf(expires_in) };
}

/** Revokes the grant at the service (RFC 7009). False when the request failed. */
export async function revokeGrant({ clientId, refreshToken, revocationEndpoint }: Grant): Promise<boolean> {
  const body = new URLSearchParams({ token: refreshToken, client_id: clientId });
  const signal = AbortSignal.timeout(requestTimeoutMs);
  return fetch(revocationEndpoint, { method: 'POST', body, redirect: 'error', signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
