import { type AllClientMetadata, type Client, errors, type ResponseType } from 'oidc-provider';

/** What this server reads of a client's metadata; RFC 7591 §2 lets it ignore and replace the rest. */
const understood = new Set([
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_uri',
  'logo_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
]);
const grantTypes = new Set(['authorization_code', 'refresh_token']);
const responseTypes = new Set<ResponseType>(['code']);

const maxNameLength = 200;
const maxRedirects = 20;
/** Characters of all of them: anybody may register a client, which is kept for a day. */
const maxRedirectsLength = 4000;

/** Those values that are known here; undefined (so that the default holds) when there are none. */
function kept<Value>(values: unknown, known: ReadonlySet<Value>): Value[] | undefined {
  const found = Array.isArray(values) ? values.filter((value) => known.has(value as Value)) : [];
  return found.length > 0 ? found : undefined;
}

/** Printable ASCII, as every URI is (RFC 3986 §2). */
function isPlainAddress(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]{1,2000}$/.test(value);
}

/** An https address to show to a person, if it is one. */
function shownAddress(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 2000 ? URL.parse(value) : null;
  return url?.protocol === 'https:' && !url.username ? url.href : undefined;
}

/** One line to show to a person: no control or direction characters, not endless. */
function shownName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line === '' ? undefined : [...line].slice(0, maxNameLength).join('');
}

/**
 * Normalizes the metadata of a client, registered or fetched: public clients on
 * loopback (any port, RFC 8252 §7.3), https or their own scheme. In place. @throws InvalidClientMetadata.
 */
export function normalizeClient(metadata: AllClientMetadata): void {
  for (const name of Object.keys(metadata)) if (!understood.has(name)) delete metadata[name as 'scope'];
  metadata.application_type = 'native';
  if (!isMetadataDocument(metadata.client_id)) metadata.token_endpoint_auth_method = 'none';
  const redirects: unknown = metadata.redirect_uris;
  if (Array.isArray(redirects)) {
    if (redirects.length > maxRedirects || !redirects.every(isPlainAddress))
      throw new errors.InvalidClientMetadata(`redirect_uris must be at most ${maxRedirects} addresses in plain ASCII`);
    if (redirects.join('').length > maxRedirectsLength)
      throw new errors.InvalidClientMetadata(`redirect_uris must have at most ${maxRedirectsLength} characters in all`);
  }
  assignKnown(metadata, 'grant_types', kept(metadata.grant_types, grantTypes));
  assignKnown(metadata, 'response_types', kept(metadata.response_types, responseTypes));
  assignKnown(metadata, 'client_name', shownName(metadata.client_name));
  assignKnown(metadata, 'client_uri', shownAddress(metadata.client_uri));
  assignKnown(metadata, 'logo_uri', shownAddress(metadata.logo_uri));
}

function assignKnown<Name extends keyof AllClientMetadata>(
  metadata: AllClientMetadata,
  name: Name,
  value: AllClientMetadata[Name],
): void {
  if (value === undefined) delete metadata[name];
  else metadata[name] = value;
}

/** Whether a client identifies itself by the https address of its metadata document (CIMD). */
function isMetadataDocument(clientId: string | undefined): boolean {
  return clientId?.startsWith('https://') ?? false;
}

/** A client as people see it. `verified`: its identity is an https address, which it proved to hold. */
export function describeClient(client: Client, redirectUri: string) {
  const verified = isMetadataDocument(client.clientId);
  const address = URL.parse(redirectUri);
  const web = address?.protocol === 'https:' || address?.protocol === 'http:';
  return {
    id: client.clientId,
    name: client.clientName ?? (verified ? new URL(client.clientId).host : 'An app without a name'),
    uri: client.clientUri ?? null,
    logoUri: client.logoUri ?? null,
    /** Where the person is sent after the decision: a host, or the scheme of an app on their machine. */
    redirectHost: web ? address.host : (address?.protocol ?? ''),
    verified,
  };
}
