import { readValue } from '../arguments/values.ts';
import type { Context, Parsed } from '../commands/invocation.ts';
import { flagOf, type LocalCommand, plainArgument, textOf } from '../commands/local-command.ts';
import { type Connection, connect } from '../credentials/connection.ts';
import { revokeGrant } from '../credentials/oauth.ts';
import type { Profile, Settings } from '../credentials/store.ts';
import { CliFailure, exitCodes, usage } from '../model/failure.ts';
import { tabbed, table } from '../output/table.ts';
import { Client } from '../service/client.ts';
import { oneLine, safeJson } from '../terminal/safe.ts';

/** Name of the profile that a command line selects. @throws CliFailure 2 for an invalid name. */
export function profileNameOf(parsed: Pick<Parsed, 'general'>, { store, environment }: Context): string {
  const named = flagOf(parsed as Parsed, 'profile') ?? environment.TANDEM_PROFILE;
  if (!named) return store.read().current;
  if (/^[A-Za-z0-9][\w.-]{0,62}$/.test(named)) return named;
  throw usage(`“${named}” is not a valid profile name: use a-z, 0-9, - _ and . only.`);
}

/** The connection of the profile that a command line selects. @throws CliFailure. */
export function connectionFor(parsed: Pick<Parsed, 'general'>, context: Context): Connection {
  const { store, environment, catalogue } = context;
  const profileName = profileNameOf(parsed, context);
  const profile = store.read().profiles[profileName];
  return connect({ store, environment, profileName, profile, version: catalogue.version });
}

/** A client with the timeout, retries and reports that a command line asks for. @throws CliFailure 2. */
export function clientOf(connection: Connection, parsed: Parsed, context: Context): Client {
  const { err, catalogue, now } = context;
  const { general } = parsed;
  const limit = { kind: 'integer', minimum: 1, maximum: 3600 } as const;
  const seconds = Number(readValue(flagOf(parsed, 'timeout') ?? '60', limit, '--timeout', now));
  const isVerbose = general.has('verbose');
  return new Client({
    connection,
    version: catalogue.version,
    timeoutMs: seconds * 1000,
    retries: !general.has('no-retry'),
    report: (line, verbose = false) => {
      if (!verbose || isVerbose) err.write(`${err.paint('dim', oneLine(line))}\n`);
    },
  });
}

function known({ profiles }: Settings, name: string): Profile {
  const profile = profiles[name];
  if (profile) return profile;
  const names = Object.keys(profiles).join(', ');
  throw new CliFailure(exitCodes.notFound, `There is no profile “${name}”.`, [
    names ? `There are: ${names}.` : `Create it: tandem login --profile ${name}`,
  ]);
}

/** The profiles without their secrets. */
function summaryOf(settings: Settings): Record<string, unknown>[] {
  return Object.entries(settings.profiles).map(([name, { url, apiKey, grant, session }]) => ({
    name,
    isCurrent: name === settings.current,
    url,
    signedInBy: [apiKey && 'key', grant && 'browser', session && 'session'].filter(Boolean).join(', '),
    email: session?.email ?? null,
  }));
}

/** `tandem profiles`. */
export const profiles: LocalCommand = {
  words: ['profiles'],
  summary: 'List the profiles, or select one',
  description: 'With NAME: make it the default profile. For one command use --profile or TANDEM_PROFILE.',
  arguments: [plainArgument('name', { isRequired: false })],
  options: [],
  flags: [],
  examples: ['profiles', 'profiles work'],
  run: async (parsed, { store, out, now }) => {
    const name = textOf(parsed, 'name');
    if (name !== undefined) {
      await store.change((settings) => {
        known(settings, name);
        settings.current = name;
      });
      out.write(`The default profile is now ${name}.\n`);
      return exitCodes.done;
    }
    const rows = summaryOf(store.read());
    const names = ['name', 'isCurrent', 'url', 'signedInBy', 'email'];
    if (parsed.general.has('json')) out.write(`${safeJson(rows, 2)}\n`);
    else if (rows.length === 0) out.write('No profiles. Sign in: tandem login --url https://…\n');
    else out.write(out.isTerminal ? table(names, rows, out, now) : tabbed(names, rows));
    return exitCodes.done;
  },
};

/** Ends the grant and the session at the service. A key is not revoked: other programs may use it. */
async function revokeCredentials(
  { catalogue, store, err }: Context,
  profileName: string,
  profile: Profile,
): Promise<void> {
  if (profile.grant && !(await revokeGrant(profile.grant))) {
    err.write(`The grant could not be revoked: revoke it at ${profile.url}/settings/connected-apps\n`);
  }
  const signOut = catalogue.operations.find(({ name }) => name === 'auth.signOut');
  if (profile.session && signOut) {
    const { version } = catalogue;
    const connection = connect({ store, environment: {}, profileName, profile, version });
    const client = new Client({ connection, version, timeoutMs: 10_000, retries: false, report: () => {} });
    await client.send(signOut, {}).catch(() => {
      err.write('The session could not be ended; it expires after 12 hours without use.\n');
    });
  }
}

/** `tandem logout`. */
export const logout: LocalCommand = {
  words: ['logout'],
  summary: 'Remove stored credentials, and end their session or grant',
  description:
    'An API key is removed here but not revoked, because other programs may use it. To revoke it: tandem api-keys revoke, or in the settings of the workspace.',
  arguments: [],
  options: [],
  flags: [],
  examples: ['logout', 'logout --profile work'],
  run: async (parsed, context) => {
    const name = profileNameOf(parsed, context);
    const profile = known(context.store.read(), name);
    await revokeCredentials(context, name, profile);
    await context.store.change((settings) => {
      delete settings.profiles[name];
      if (settings.current === name) settings.current = Object.keys(settings.profiles)[0] ?? 'default';
    });
    context.out.write(`Signed out of ${profile.url}.\n`);
    return exitCodes.done;
  },
};
