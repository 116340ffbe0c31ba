import type { CatalogueOperation } from '../catalogue.ts';
import { CliFailure, type ErrorBody, exitCodes } from '../failure.ts';
import { renewGrant } from './oauth.ts';
import type { Grant, Profile, Store } from './store.ts';

type Access = CatalogueOperation['access'];
type Environment = Readonly<Record<string, string | undefined>>;

/** Where the requests of a command go, and what they carry. */
export interface Connection {
  /** Address of the service, without a slash at its end. */
  url: string;
  /** Whether there is a credential for this access. */
  has(access: Access): boolean;
  /** @throws CliFailure 3 when there is none. */
  bearer(access: Access): Promise<string | null>;
  /** After a 401 for this bearer: whether there is another one now. */
  renew(bearer: string | null): Promise<boolean>;
  /** What to do about a refusal. */
  hints(access: Access, status: number, body: ErrorBody): string[];
}

export const localUrl = 'http://127.0.0.1:8080';
/** An access token that ends so soon is renewed first. */
const renewMs = 60_000;

const isForPeople = (access: Access) => access === 'session' || access === 'key_management';
const isSession = (token: string) => token.startsWith('tandem_st_');

/** The address of a service as it is typed: `https` unless told otherwise or on this machine. @throws CliFailure 2. */
export function serviceUrl(typed: string): string {
  const isLocal = /^(localhost|127\.|\[::1\])/.test(typed);
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `${isLocal ? 'http' : 'https'}://${typed}`;
  const fault = new CliFailure(exitCodes.usage, `“${typed}” is not an http or https address.`);
  if (!URL.canParse(text)) throw fault;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '') throw fault;
  return (url.origin + url.pathname).replace(/\/(api\/v1\/?)?$/, '').replace(/\/+$/, '');
}

/** Whether what goes there can be read on the way. */
export function isReadable(url: string): boolean {
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

/** A connection with the credentials of the environment, else with those of a profile, which go to its address alone. */
export function connect({ store, environment, profileName, profile, version }: Parts): Connection {
  const { TANDEM_URL } = environment;
  const key = environment.TANDEM_API_KEY?.trim();
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new CliFailure(exitCodes.credentials, 'What TANDEM_API_KEY holds is no API key.');
  }
  const url = TANDEM_URL ? serviceUrl(TANDEM_URL) : (profile?.url ?? localUrl);
  const own = profile && profile.url === url ? profile : undefined;
  const session = key && isSession(key) ? key : key ? undefined : own?.session?.token;
  const forData = key || own?.apiKey || own?.grant?.accessToken || session;
  const signIn = `tandem login --url ${url}${profileName === 'default' ? '' : ` --profile ${profileName}`}`;
  let grant: Grant | undefined = key || own?.apiKey ? undefined : own?.grant;

  /** Another process may have renewed it meanwhile: what is stored counts. */
  const renewed = async (stale: string): Promise<boolean> => {
    const stored = store.read().profiles[profileName]?.grant;
    if (!stored) return false;
    grant = stored.accessToken === stale ? await renewGrant(stored, version) : stored;
    if (!grant) return false;
    const fresh = grant;
    if (fresh !== stored) {
      await store.change(({ profiles }) => {
        const kept = profiles[profileName];
        if (kept) kept.grant = fresh;
      });
    }
    return true;
  };

  const missing = (access: Access) => {
    if (isForPeople(access) && forData !== undefined) {
      const message = 'This needs a signed-in person; keys and connected apps may not do it.';
      return new CliFailure(exitCodes.credentials, message, [`Sign in: ${signIn} --email YOU@EXAMPLE.COM`]);
    }
    const hints = [`Sign in: ${signIn}`, 'Or set TANDEM_API_KEY (and TANDEM_URL).'];
    if (profile && !own) hints.unshift(`The profile “${profileName}” is for ${profile.url}, which TANDEM_URL is not.`);
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
      if (grant && Date.parse(grant.expiresAt) - Date.now() < renewMs) await renewed(grant.accessToken);
      const bearer = grant?.accessToken ?? forData;
      if (bearer === undefined) throw missing(access);
      return bearer;
    },
    renew: async (bearer) => grant !== undefined && bearer === grant.accessToken && renewed(bearer),
    hints: (access, status, { code }) => {
      if (status === 401 && access === 'public') return [];
      if (status === 401 && key) return ['It is the one in TANDEM_API_KEY.'];
      if (status === 401) return [`Sign in again: ${signIn}${isForPeople(access) ? ' --email YOU@EXAMPLE.COM' : ''}`];
      return code === 'missing_scope' ? ['See what this credential may do: tandem whoami'] : [];
    },
  };
}
