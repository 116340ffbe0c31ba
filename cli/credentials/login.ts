import type { Parsed } from '../arguments/parse.ts';
import type { CatalogueOperation } from '../catalogue.ts';
import { flagOf, type LocalCommand } from '../commands/local-command.ts';
import type { World } from '../commands/world.ts';
import { CliFailure, exitCodes, usage } from '../failure.ts';
import { oneLine } from '../output/safe.ts';
import { Client } from '../service/client.ts';
import { connect, isReadable, localUrl, serviceUrl } from './connection.ts';
import { authorize } from './oauth.ts';
import { openBrowser } from './open-browser.ts';
import { profileNameOf } from './profiles.ts';
import { ask, canAsk } from './prompt.ts';
import type { Profile } from './store.ts';

/** What one way of signing in adds to a profile. */
type Gained = Pick<Profile, 'apiKey'> | Pick<Profile, 'grant'> | Pick<Profile, 'session'>;

interface Identity {
  workspace: { name: string };
  user: { name: string; email: string };
  credential: { type: string; name: string; scopes: string[]; expiresAt: string | null };
}

function operationNamed({ catalogue }: World, name: string): CatalogueOperation {
  const operation = catalogue.operations.find((each) => each.name === name);
  if (!operation) throw new CliFailure(exitCodes.failed, `This client was built for a service without ${name}.`);
  return operation;
}

/** A client of `url` that sends what was just gained, and nothing that is stored. */
function clientFor(world: World, profileName: string, url: string, gained?: Gained): Client {
  const { store, catalogue } = world;
  const profile = { url, ...gained };
  const connection = connect({ store, environment: {}, profileName, profile, version: catalogue.version });
  return new Client({ connection, version: catalogue.version, timeoutMs: 60_000, retries: true, tell: () => {} });
}

async function withKey(parsed: Parsed, { sources, err }: World, url: string): Promise<Gained> {
  const given = flagOf(parsed, 'key');
  const file = flagOf(parsed, 'key-file');
  if (given !== undefined && given !== '-') {
    throw usage(
      '--key does not take the key itself, which others on this machine could read.',
      'Write --key - (a line of stdin) or --key-file PATH, or leave it out to be asked.',
    );
  }
  if (file !== undefined) return { apiKey: sources.file(file).trim() };
  if (given === '-' || !canAsk()) return { apiKey: (await sources.line('--key')).trim() };
  err.write(`Make a key at ${url}/settings/api-keys/new and paste it here; it is not shown.\n`);
  return { apiKey: await ask('API key: ', true) };
}

async function withBrowser({ catalogue, environment, err }: World, url: string): Promise<Gained> {
  const scopes = [...new Set(catalogue.operations.flatMap(({ scope }) => scope ?? []))];
  const grant = await authorize({ url, version: catalogue.version, scopes }, (address) => {
    err.write(`Decide in your browser what this client may do. If none opens, go to:\n\n  ${address}\n\n`);
    openBrowser(address, environment);
  });
  return { grant };
}

async function withPassword(parsed: Parsed, world: World, url: string, email: string): Promise<Gained> {
  const file = flagOf(parsed, 'password-file');
  const given = flagOf(parsed, 'password');
  if (given !== undefined && given !== '-')
    throw usage('--password takes - (a line of stdin), not the password itself.');
  let password: string;
  if (file !== undefined) password = world.sources.file(file);
  else if (given === '-' || !canAsk()) password = await world.sources.line('--password');
  else password = await ask(`Password of ${email}: `, true);
  const client = clientFor(world, profileNameOf(parsed, world), url);
  const { body } = await client.send(operationNamed(world, 'auth.signIn'), {
    body: { email, password },
  });
  const { token, expiresAt } = body as { token: string; expiresAt: string };
  return { session: { token, email, expiresAt } };
}

/** @throws CliFailure 2 for what cannot be a credential: it could not even be sent. */
function checked(gained: Gained): Gained {
  if (!('apiKey' in gained) || /^[\x21-\x7e]{1,500}$/.test(gained.apiKey ?? '')) return gained;
  throw usage('This is no API key. It is one word that begins with tandem_sk_.');
}

async function gain(parsed: Parsed, world: World, url: string): Promise<Gained> {
  const email = flagOf(parsed, 'email');
  const ways = [email, flagOf(parsed, 'key') ?? flagOf(parsed, 'key-file'), parsed.general.get('browser')];
  if (ways.filter((each) => each !== undefined).length > 1) throw usage('Choose one of --key, --browser and --email.');
  if (email !== undefined) return withPassword(parsed, world, url, email);
  return parsed.general.has('browser') ? withBrowser(world, url) : withKey(parsed, world, url);
}

/** Credentials for data replace one another; a session is kept beside them. */
function merged(before: Profile | undefined, url: string, gained: Gained): Profile {
  if (!before || before.url !== url) return { url, ...gained };
  const { apiKey, grant, session } = before;
  if ('session' in gained) return { url, ...(apiKey && { apiKey }), ...(grant && { grant }), ...gained };
  return { url, ...(session && { session }), ...gained };
}

async function run(parsed: Parsed, world: World): Promise<number> {
  const { store, environment, out, err } = world;
  const name = profileNameOf(parsed, world);
  const before = store.read().profiles[name];
  const url = serviceUrl(flagOf(parsed, 'url') ?? environment.TANDEM_URL ?? before?.url ?? localUrl);
  if (isReadable(url)) err.write(`Careful: ${url} is not https. Others on the way can read what you send.\n`);
  const gained = checked(await gain(parsed, world, url));
  const operation = operationNamed(world, 'meta.identity');
  const { body } = await clientFor(world, name, url, gained).send(operation, {});
  const { workspace, user, credential } = body as Identity;
  await store.change((settings) => {
    if (Object.keys(settings.profiles).length === 0) settings.current = name;
    settings.profiles[name] = merged(settings.profiles[name], url, gained);
  });
  out.write(`Signed in to ${oneLine(workspace.name)} at ${url} as ${oneLine(user.name)} (${oneLine(user.email)}).\n`);
  if (credential.type !== 'session') out.write(`It may: ${credential.scopes.map(oneLine).join(', ')}.\n`);
  if (environment.TANDEM_API_KEY) err.write('TANDEM_API_KEY is set and wins over what was stored.\n');
  return exitCodes.done;
}

/** `tandem login`. */
export const login: LocalCommand = {
  words: ['login'],
  summary: 'Sign in with an API key, a browser or a password',
  description: `Without a flag it asks for an API key. --browser lets you decide in the browser what this client may do, and in which workspace. --email opens a session, which may also manage keys, members and notifications; it is kept beside the key and ends after 12 hours without use. What is stored is in a file that only you can read, and is sent to this service alone.`,
  arguments: [],
  options: [],
  flags: [
    { flag: 'url', label: 'URL', description: 'Address of the service.' },
    { flag: 'key', label: '-', description: 'Read the API key from a line of stdin.' },
    { flag: 'key-file', label: 'PATH', description: 'Read the API key from a file.' },
    { flag: 'browser', description: 'Sign in with the browser (OAuth).' },
    { flag: 'email', label: 'EMAIL', description: 'Sign in as a person, with a password.' },
    { flag: 'password', label: '-', description: 'Read the password from a line of stdin.' },
    { flag: 'password-file', label: 'PATH', description: 'Read the password from a file.' },
  ],
  examples: [
    'login --url https://tandem.example.com',
    'login --browser',
    'login --email ada@example.com --profile ada',
    'login --key - < key.txt',
  ],
  run,
};
