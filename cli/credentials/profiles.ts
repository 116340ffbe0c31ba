import type { Parsed } from '../arguments/parse.ts';
import { flagOf, type LocalCommand, plainArgument, textOf } from '../commands/local-command.ts';
import type { World } from '../commands/world.ts';
import { CliFailure, exitCodes, usage } from '../failure.ts';
import { safeJson } from '../output/safe.ts';
import { tabbed, table } from '../output/table.ts';
import { Client } from '../service/client.ts';
import { connect } from './connection.ts';
import { revokeGrant } from './oauth.ts';
import type { Profile, Settings } from './store.ts';

/** The profile that a command line means. @throws CliFailure 2 for what is no name. */
export function profileNameOf(parsed: Pick<Parsed, 'general'>, { store, environment }: World): string {
  const named = flagOf(parsed as Parsed, 'profile') ?? environment.TANDEM_PROFILE;
  if (!named) return store.read().current;
  if (/^[A-Za-z0-9][\w.-]{0,62}$/.test(named)) return named;
  throw usage(`“${named}” is no name for a profile: letters, digits, - _ and . alone.`);
}

function known({ profiles }: Settings, name: string): Profile {
  const profile = profiles[name];
  if (profile) return profile;
  const names = Object.keys(profiles).join(', ');
  throw new CliFailure(exitCodes.notFound, `There is no profile “${name}”.`, [
    names ? `There are: ${names}.` : `Make it: tandem login --profile ${name}`,
  ]);
}

/** What a profile holds, without the secrets. */
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
  summary: 'List the places that you are signed in to, or choose one',
  description:
    'With NAME: use that profile from now on. One command uses another one with --profile or TANDEM_PROFILE.',
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
      out.write(`The profile is now ${name}.\n`);
      return exitCodes.done;
    }
    const rows = summaryOf(store.read());
    const names = ['name', 'isCurrent', 'url', 'signedInBy', 'email'];
    if (parsed.general.has('json')) out.write(`${safeJson(rows, 2)}\n`);
    else if (rows.length === 0) out.write('Nowhere. Sign in: tandem login --url https://…\n');
    else out.write(out.isTerminal ? table(names, rows, out, now) : tabbed(names, rows));
    return exitCodes.done;
  },
};

/** Ends on the side of the service what belongs to this client alone: a key may have other users. */
async function endThere({ catalogue, store, err }: World, profileName: string, profile: Profile): Promise<void> {
  if (profile.grant && !(await revokeGrant(profile.grant))) {
    err.write(`The service could not be told: end it at ${profile.url}/settings/connected-apps\n`);
  }
  const signOut = catalogue.operations.find(({ name }) => name === 'auth.signOut');
  if (profile.session && signOut) {
    const { version } = catalogue;
    const connection = connect({ store, environment: {}, profileName, profile, version });
    const client = new Client({ connection, version, timeoutMs: 10_000, retries: false, tell: () => {} });
    await client.send(signOut, {}).catch(() => {
      err.write('The service could not be told; the session ends by itself within 12 hours.\n');
    });
  }
}

/** `tandem logout`. */
export const logout: LocalCommand = {
  words: ['logout'],
  summary: 'Forget a sign-in, and end its session or grant',
  description:
    'An API key is forgotten, not revoked: other programs may use it. To revoke it: tandem api-keys revoke, or in the settings of the workspace.',
  arguments: [],
  options: [],
  flags: [],
  examples: ['logout', 'logout --profile work'],
  run: async (parsed, world) => {
    const name = profileNameOf(parsed, world);
    const profile = known(world.store.read(), name);
    await endThere(world, name, profile);
    await world.store.change((settings) => {
      delete settings.profiles[name];
      if (settings.current === name) settings.current = Object.keys(settings.profiles)[0] ?? 'default';
    });
    world.out.write(`Signed out of ${profile.url}.\n`);
    return exitCodes.done;
  },
};
