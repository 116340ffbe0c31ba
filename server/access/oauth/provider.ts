import { createPrivateKey, hkdfSync } from 'node:crypto';
import { EventEmitter } from 'node:events';
import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import { v7 as newId } from 'uuid';
import type { Db } from '../../../db/client.ts';
import { mintSecret } from '../../../db/secrets.ts';
import { unavailableSeconds } from '../../../domain/errors.ts';
import { type Scope, scopes } from '../../../domain/scopes.ts';
import type { Send } from '../../../outbound/client.ts';
import { Artifacts } from './artifacts.ts';
import { keepBrowser } from './browser.ts';
import { normalizeClient } from './clients.ts';
import { errorPage } from './error-page.ts';
import { AccessTokens, Grants, NoSessions } from './grants.ts';
import { paths } from './metadata.ts';
import { withClientOutages, withOutages, withSiteOutages } from './outages.ts';

/** Scopes of a request that names none: all but the transcripts. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'captures:read');

const hour = 60 * 60;
const ttl = { AccessToken: hour, RefreshToken: 60 * 24 * hour, AuthorizationCode: 60, Interaction: hour };

export interface ProviderParts {
  db: Db;
  log: Logger;
  /** Address of the service, without a trailing slash: the issuer. */
  publicUrl: string;
  /** Secret that all processes share; signing and cookie keys are derived from it. */
  key: Buffer;
  /** Requests a minute of one connected app. */
  rateLimitPerMinute: number;
  /** Fetches metadata documents of clients, from addresses that they choose. */
  fetchDocument: Send;
}

function derived(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `tandem oauth ${purpose}`, 32));
}

/** The Ed25519 key of a 32-byte seed as a JWK (RFC 8410 §7 wraps the seed in PKCS #8). */
function signingKey(seed: Buffer) {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
}

function isUndecided({ oidc }: KoaContextWithOIDC): boolean {
  if (scopes.some((scope) => oidc.requestParamScopes.has(scope))) return !oidc.result?.consent;
  throw new errors.InvalidScope(`the scopes are ${scopes.join(' ')}`, [...oidc.requestParamScopes].join(' '));
}

/** Sign-in and consent are one step on our page, and every request takes it: an earlier decision never counts. */
function policy() {
  const { base, Check, Prompt } = interactionPolicy;
  const decided = new Check('undecided', 'a person has to decide', 'consent_required', isUndecided);
  const prompts = base();
  prompts.clear();
  prompts.add(new Prompt({ name: 'login', requestable: true }));
  prompts.add(new Prompt({ name: 'select_account', requestable: true }));
  prompts.add(new Prompt({ name: 'consent', requestable: true }, decided));
  return prompts;
}

/** Parameters of an authorization request that mean something here; others are ignored (RFC 6749 §3.1). */
const understood = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'redirect_uri',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'state',
];

/**
 * The requested scopes that exist, in our order. The default scopes if none is requested; the requested ones unchanged
 * if none of them exists.
 */
function askedScopes(scope: string): string {
  const asked = scope.split(' ').filter(Boolean);
  if (asked.length === 0) return defaultScopes.join(' ');
  return scopes.filter((each) => asked.includes(each)).join(' ') || scope;
}

/** Prepares an authorization request before the library reads it: without a scope it would end in `access_denied`. */
function prepare(ctx: Pick<KoaContextWithOIDC, 'query'>): void {
  const { query } = ctx;
  const kept = understood.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]);
  const { scope = '' } = query;
  ctx.query = { ...Object.fromEntries(kept), scope: Array.isArray(scope) ? scope : askedScopes(scope) };
}

/** The OAuth 2.1 authorization server of the service. It has no state in memory that another process would miss. */
export function createProvider({
  db,
  log,
  publicUrl,
  key,
  rateLimitPerMinute,
  fetchDocument,
}: ProviderParts): Provider {
  const failed = (error: unknown) => log.error({ err: error }, 'OAuth server failed');
  const resource = `${publicUrl}/mcp`;
  const resumeAddress = (id: string) => `${publicUrl}${paths.authorization}/${id}`;
  const configuration: Configuration = {
    adapter: (model) => {
      if (model === 'AccessToken') return withOutages(new AccessTokens(db, rateLimitPerMinute), failed);
      if (model === 'Grant') return withOutages(new Grants(db, () => resource), failed);
      return model === 'Session' ? new NoSessions() : withOutages(new Artifacts(db, model, resumeAddress), failed);
    },
    clientAuthMethods: ['none'],
    clientBasedCORS: () => true,
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'EdDSA',
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    cookies: {
      keys: [derived(key, 'cookies')],
      names: { session: 'tandem_oauth_session', interaction: 'tandem_oauth', resume: 'tandem_oauth_resume' },
      short: { signed: true, sameSite: 'lax', httpOnly: true },
      long: { signed: true, sameSite: 'lax', httpOnly: true, path: paths.authorization },
    },
    expiresWithSession: () => false,
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_, __, ___, metadata) => normalizeClient(metadata),
    },
    features: {
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, idFactory: () => newId(), issueRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, __, oneOf) => (oneOf?.some((each) => each !== resource) ? oneOf : resource),
        getResourceServerInfo: (_, indicator) => {
          if (indicator !== resource) throw new errors.InvalidTarget();
          return { scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: hour };
        },
      },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: {
      policy: policy(),
      url: (ctx, { uid }) => {
        keepBrowser(ctx, uid);
        return `${publicUrl}/oauth/consent?uid=${uid}`;
      },
    },
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: [signingKey(derived(key, 'signature'))] },
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    pkce: { required: () => true },
    renderError: errorPage,
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: () => true,
    routes: { ...paths },
    scopes: [],
    ttl: { ...ttl, Grant: ttl.RefreshToken, Session: 60 },
    fetch: withSiteOutages(fetchDocument),
  };
  const provider = new Provider(publicUrl, configuration);
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    if (ctx.path === paths.authorization) prepare(ctx);
    await next();
    if (ctx.status === 503) ctx.set('Retry-After', String(unavailableSeconds));
  });
  nameTokens(provider);
  withClientOutages(provider);
  provider.on('grant.error', (_, error) => log.info({ err: error }, 'token request refused'));
  provider.on('server_error', (_, error) => failed(error));
  EventEmitter.prototype.on.call(provider, 'error', failed);
  return provider;
}

/** Tokens in our own format, which the gate and secret scanners recognise. */
function nameTokens({ AccessToken, RefreshToken }: Provider): void {
  const access = AccessToken.prototype as unknown as { generateTokenId(): string };
  const refresh = RefreshToken.prototype as unknown as { generateTokenId(): string };
  const setFormat = access.generateTokenId;
  access.generateTokenId = function () {
    setFormat.call(this);
    return mintSecret('at');
  };
  refresh.generateTokenId = () => mintSecret('rt');
}
