import { createHash, randomBytes } from 'node:crypto';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { type Answer, startTestService, type TestService } from './harness.ts';
import type { Person } from './people.ts';

export const callback = 'http://127.0.0.1:33333/callback';

/** Two processes that know the service by the same public address. */
interface TwoProcesses {
  tandem: TestService;
  /** The address of the second one. */
  elsewhere: string;
  close(): Promise<void>;
}

/** Starts two processes on one database; the settings are those of the first. */
export async function startTwo(environment: Record<string, string> = {}): Promise<TwoProcesses> {
  const tandem = await startTestService(environment);
  const second = await startTestService({ PUBLIC_URL: tandem.url });
  return {
    tandem,
    elsewhere: `http://127.0.0.1:${second.service.port}`,
    close: async () => {
      await second.close();
      await tandem.close();
    },
  };
}

/** Calls an absolute path of the service: form fields, JSON, or nothing. Never follows a redirect. */
export async function send(
  url: string,
  route: string,
  options: { form?: Record<string, string>; json?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const { form, json } = options;
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const content = form ? new URLSearchParams(form) : json === undefined ? undefined : JSON.stringify(json);
  const response = await fetch(new URL(path, url), {
    method,
    redirect: 'manual',
    headers: { ...type, ...options.headers },
    ...(content !== undefined && { body: content }),
  });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** Registers a public client and returns its id. */
export async function register(url: string, metadata: Record<string, unknown> = {}): Promise<string> {
  const json = { client_name: 'Testing client', redirect_uris: [callback], ...metadata };
  const { status, body, text } = await send(url, 'POST /oauth/register', { json });
  if (status !== 201) throw new Error(`registration answered ${status}: ${text}`);
  return body.client_id;
}

/** The part of a browser that a flow needs: it keeps cookies by path, as `Set-Cookie` says. */
export class Browser {
  readonly #cookies = new Map<string, { path: string; pair: string }>();
  readonly #person: Person;

  constructor(person: Person) {
    this.#person = person;
  }

  async visit(url: string): Promise<Answer> {
    return this.#keep(await send(url, `GET ${url}`, { headers: { cookie: this.#cookiesFor(url) } }));
  }

  /** Calls an endpoint of the consent page as the page of the signed-in person does. */
  async page(url: string, route: string, json?: unknown): Promise<Answer> {
    const [, path = '/'] = route.split(' ');
    const cookie = `${this.#cookiesFor(new URL(path, url).href)}; tandem_session=${this.#person.session.token}`;
    const headers = { cookie, origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' };
    return this.#keep(await send(url, route, { headers, ...(json !== undefined && { json }) }));
  }

  #cookiesFor(url: string): string {
    const { pathname } = new URL(url);
    const fitting = [...this.#cookies.values()].filter(({ path }) => pathname.startsWith(path));
    return fitting.map(({ pair }) => pair).join('; ');
  }

  #keep(answer: Answer): Answer {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/';
      this.#cookies.set(`${path} ${pair.split('=')[0]}`, { path, pair });
    }
    return answer;
  }
}

export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The address of an authorization request; a parameter set to '' is left out. */
export function authorizeUrl(url: string, clientId: string, challenge: string, more: Record<string, string> = {}) {
  const address = new URL('/oauth/authorize', url);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'the state',
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== '') address.searchParams.set(name, value);
  return address.href;
}

export interface Decision {
  workspaceId: string;
  scopes?: readonly Scope[];
  deny?: boolean;
}

/** Opens an authorization request, decides it on the consent page, and returns where the browser lands. */
export async function decide(browser: Browser, address: string, decision: Decision): Promise<URL> {
  const started = await browser.visit(address);
  const consent = new URL(started.headers.get('location') ?? '');
  const uid = consent.searchParams.get('uid');
  if (uid === null) return consent;
  const asked = await browser.page(consent.href, `GET /oauth/interactions/${uid}`);
  const requested = scopes.filter((_, index) => asked.body.scopes[index].requested);
  const body = decision.deny
    ? { decision: 'deny' }
    : { decision: 'approve', workspaceId: decision.workspaceId, scopes: decision.scopes ?? requested };
  const decided = await browser.page(consent.href, `POST /oauth/interactions/${uid}`, body);
  if (decided.status !== 200) throw new Error(`the decision answered ${decided.status}: ${decided.text}`);
  const landed = await browser.visit(decided.body.redirectTo);
  return new URL(landed.headers.get('location') ?? `data:${landed.text}`);
}

export interface Connection {
  clientId: string;
  accessToken: string;
  refreshToken: string;
  scope: string;
  code: string;
  verifier: string;
}

/** A client connected to a workspace of a person, from registration to token. */
export async function connectApp(
  tandem: TestService,
  person: Person,
  options: { clientId?: string; scope?: string; allow?: readonly Scope[]; workspaceId?: string } = {},
): Promise<Connection> {
  const clientId = options.clientId ?? (await register(tandem.url));
  const { verifier, challenge } = pkce();
  const address = authorizeUrl(tandem.url, clientId, challenge, { scope: options.scope ?? '' });
  const landed = await decide(new Browser(person), address, {
    workspaceId: options.workspaceId ?? person.session.workspace.id,
    ...(options.allow && { scopes: options.allow }),
  });
  const code = landed.searchParams.get('code') ?? '';
  const { status, body, text } = await redeem(tandem.url, { clientId, code, verifier });
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${text} (${landed})`);
  const { access_token: accessToken, refresh_token: refreshToken, scope } = body;
  return { clientId, accessToken, refreshToken, scope, code, verifier };
}

/** Redeems a code. */
export function redeem(
  url: string,
  { clientId, code, verifier }: { clientId: string; code: string; verifier: string },
  more: Record<string, string> = {},
): Promise<Answer> {
  const grant = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: callback };
  return send(url, 'POST /oauth/token', { form: { ...grant, code_verifier: verifier, ...more } });
}

/** Renews access. */
export function refresh(
  url: string,
  { clientId, refreshToken }: { clientId: string; refreshToken: string },
  more: Record<string, string> = {},
): Promise<Answer> {
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more };
  return send(url, 'POST /oauth/token', { form });
}
