import type { CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, type ErrorBody, exitCodes } from '../model/failure.ts';
import { renewGrant } from './oauth.ts';
import type { Grant, Profile, Settings, Store } from './store.ts';

type Access = CatalogueOperation['access'];
type Environment = Readonly<Record<string, string | undefined>>;

/** The service address and credentials of a command. */
export interface Connection {
  /** Address of the service, without a trailing slash. */
  url: string;
  /** Whether a credential for this kind of access exists. */
  has(access: Access): boolean;
  /** The token for this access; null where none is needed. @throws CliFailure 3 when there is none. */
  bearer(access: Access): Promise<string | null>;
  /** After a 401 for this bearer: renews it; true when there is another one now. */
  renew(bearer: string | null): Promise<boolean>;
  /** Next steps after an error response. */
  hints(access: Access, status: number, body: ErrorBody): string[];
}

/** Used when no address is given. */
export const localUrl = 'http://127.0.0.1:8080';
/** Access tokens are renewed when they expire within this time. */
const renewMs = 60_000;

/** Whether an operation needs the session of a person. */
export const isForPeople = (access: Access) => access === 'session' || access === 'key_management';
const isSession = (token: string) => token.startsWith('tandem_st_');

/** Normalizes a typed address; the scheme defaults to `https`, on localhost to `http`. @throws CliFailure 2. */
export function serviceUrl(typed: string): string {
  const isLocal = /^(localhost|127\.|\[::1\])/.test(typed);
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `${isLocal ? 'http' : 'https'}://${typed}`;
  const invalid = new CliFailure(exitCodes.usage, `“${typed}” is not an http or https address.`);
  if (!URL.canParse(text)) throw invalid;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '') throw invalid;
  return (url.origin + url.pathname).replace(/\/(api\/v1\/?)?$/, '').replace(/\/+$/, '');
}

/** Whether requests to this address are sent unencrypted over a network. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

interface Parts {
  store: Store;
  environment: Environment;
  profileName: string;
  profile: Profile | undefined;
  version: string;
}

/**
 * A connection with the credentials of the environment, else of a profile; those are sent to the profile's address
 * only.
 */
export function connect({ store, environment, profileName, profile, version }: Parts): Connection {
  const { TANDEM_URL } = environment;
  const key = environment.TANDEM_API_KEY?.trim();
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new CliFailure(exitCodes.credentials, 'TANDEM_API_KEY is not an API key.');
  }
  const url = TANDEM_URL ? serviceUrl(TANDEM_URL) : (profile?.url ?? localUrl);
  const own = profile && profile.url === url ? profile : undefined;
  const session = key && isSession(key) ? key : key ? undefined : own?.session?.token;
  const forData = key || own?.apiKey || own?.grant?.accessToken || session;
  const signIn = `tandem login --url ${url}${profileName === 'default' ? '' : ` --profile ${profileName}`}`;
  let grant: Grant | undefined = key || own?.apiKey ? undefined : own?.grant;

  const clientId = grant?.clientId;
  let isRenewedEarly = true;

  /**
   * The stored grant, which another process may have renewed; undefined when the profile is signed in otherwise now.
   */
  const storedGrant = ({ profiles }: Settings): Grant | undefined => {
    const stored = profiles[profileName];
    return stored?.url === url && stored.grant?.clientId === clientId ? stored.grant : undefined;
  };

  const renewed = async (stale: string): Promise<boolean> => {
    grant = storedGrant(store.read());
    if (grant?.accessToken === stale) {
      await store.change(async (settings) => {
        const stored = storedGrant(settings);
        grant = stored?.accessToken === stale ? await renewGrant(stored, version) : stored;
        if (stored && grant) Object.assign(stored, grant);
      });
    }
    return grant !== undefined;
  };

  /** Until the access token expires it is used where it cannot be renewed. */
  const renewExpiring = async (expiring: Grant): Promise<void> => {
    const leftMs = Date.parse(expiring.expiresAt) - Date.now();
    if (leftMs >= (isRenewedEarly ? renewMs : 0)) return;
    try {
      await renewed(expiring.accessToken);
    } catch (error) {
      if (Date.parse(expiring.expiresAt) <= Date.now()) throw error;
      isRenewedEarly = false;
      grant = expiring;
    }
  };

  const missing = (access: Access) => {
    if (isForPeople(access) && forData !== undefined) {
      const message = 'This needs a session; API keys and connected apps are not permitted.';
      const precedence = 'TANDEM_API_KEY is set and takes precedence: unset it for this command.';
      const needsSignIn = !key || !own?.session;
      return new CliFailure(exitCodes.credentials, message, [
        ...(needsSignIn ? [`Sign in: ${signIn} --email YOU@EXAMPLE.COM`] : []),
        ...(key ? [precedence] : []),
      ]);
    }
    const hints = [`Sign in: ${signIn}`, 'Or set TANDEM_API_KEY (and TANDEM_URL).'];
    if (profile && !own)
      hints.unshift(`The profile “${profileName}” is for ${profile.url}, but TANDEM_URL is another address.`);
    return new CliFailure(exitCodes.credentials, `Not signed in to ${url}.`, hints);
  };

  return {
    url,
    has: (access) => access === 'public' || (isForPeople(access) ? session : forData) !== undefined,
    bearer: async (access) => {
      if (access === 'public') return null;
      if (isForPeople(access)) {
        if (session === undefined) throw missing(access);
        return session;
      }
      if (grant) await renewExpiring(grant);
      const bearer = grant?.accessToken ?? forData;
      if (bearer === undefined) throw missing(access);
      return bearer;
    },
    renew: async (bearer) => grant !== undefined && bearer === grant.accessToken && renewed(bearer),
    hints: (access, status, { code }) => {
      if (status === 401 && access === 'public') return [];
      if (status === 401 && key) return ['The key is from TANDEM_API_KEY.'];
      if (status === 401) return [`Sign in again: ${signIn}${isForPeople(access) ? ' --email YOU@EXAMPLE.COM' : ''}`];
      return code === 'missing_scope' ? ['See the scopes of this credential: tandem whoami'] : [];
    },
  };
}
