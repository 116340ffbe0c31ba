import { Names } from '../arguments/names.ts';
import type { Context, Parsed } from '../commands/invocation.ts';
import { flagOf, type LocalCommand } from '../commands/local-command.ts';
import { connect, isUnencrypted, localUrl, serviceUrl } from '../credentials/connection.ts';
import { authorize } from '../credentials/oauth.ts';
import type { Profile } from '../credentials/store.ts';
import type { CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, exitCodes, usage } from '../model/failure.ts';
import type { Client } from '../service/client.ts';
import { ask, canAsk, openBrowser } from '../terminal/interactive.ts';
import { oneLine } from '../terminal/safe.ts';
import { clientOf, profileNameOf } from './profiles.ts';
import { completeSignIn, type PasswordAnswer } from './second-factor.ts';

/** The credential that a sign-in adds to a profile. */
type NewCredential = Pick<Profile, 'apiKey'> | Pick<Profile, 'grant'> | Pick<Profile, 'session'>;

interface Identity {
  workspace: { name: string };
  user: { name: string; email: string };
  credential: { type: string; name: string; scopes: string[]; expiresAt: string | null };
}

function operationNamed({ catalogue }: Context, name: string): CatalogueOperation {
  const operation = catalogue.operations.find((each) => each.name === name);
  if (!operation) throw new CliFailure(exitCodes.failed, `This client was built for a service without ${name}.`);
  return operation;
}

/** A client of `url` with the new credential only, none of the stored ones. */
function clientFor(parsed: Parsed, context: Context, url: string, credential?: NewCredential): Client {
  const { store, catalogue } = context;
  const profileName = profileNameOf(parsed, context);
  const profile = { url, ...credential };
  const connection = connect({ store, environment: {}, profileName, profile, version: catalogue.version });
  return clientOf(connection, parsed, context);
}

async function withKey(parsed: Parsed, { sources, err }: Context, url: string): Promise<NewCredential> {
  const given = flagOf(parsed, 'key');
  const file = flagOf(parsed, 'key-file');
  if (given !== undefined && given !== '-') {
    throw usage(
      '--key does not take the key itself, because other users of this machine could read it.',
      'Write --key - (a line of stdin) or --key-file PATH, or omit it to be prompted.',
    );
  }
  if (file !== undefined) return { apiKey: sources.file(file).trim() };
  if (given === '-' || !canAsk()) return { apiKey: (await sources.line('--key')).trim() };
  err.write(`Create a key at ${url}/settings/api-keys/new and paste it here; it is not echoed.\n`);
  return { apiKey: await ask('API key: ', true) };
}

async function withBrowser({ catalogue, environment, err }: Context, url: string): Promise<NewCredential> {
  const scopes = [...new Set(catalogue.operations.flatMap(({ scope }) => scope ?? []))];
  const grant = await authorize({ url, version: catalogue.version, scopes }, (address) => {
    err.write(`Allow access in your browser. If it does not open, go to:\n\n  ${address}\n\n`);
    openBrowser(address, environment);
  });
  return { grant };
}

async function withPassword(parsed: Parsed, context: Context, url: string, email: string): Promise<NewCredential> {
  const file = flagOf(parsed, 'password-file');
  const given = flagOf(parsed, 'password');
  if (given !== undefined && given !== '-')
    throw usage('--password takes - (a line of stdin), not the password itself.');
  let password: string;
  if (file !== undefined) password = context.sources.file(file);
  else if (given === '-' || !canAsk()) password = await context.sources.line('--password');
  else password = await ask(`Password of ${email}: `, true);
  const client = clientFor(parsed, context, url);
  const { body } = await client.send(operationNamed(context, 'auth.signIn'), {
    body: { email, password },
  });
  const complete = operationNamed(context, 'auth.completeSignIn');
  const { token, expiresAt } = await completeSignIn(context, client, complete, body as PasswordAnswer);
  const session = { token, email, expiresAt };
  const workspace = flagOf(parsed, 'workspace');
  if (workspace === undefined) return { session };
  const moved = await sessionIn(clientFor(parsed, context, url, { session }), context, workspace);
  return { session: { ...session, ...moved } };
}

/**
 * Moves a new session to another workspace, or ends it where that fails. @throws CliFailure 2 for a name that none or
 * several have.
 */
async function sessionIn(client: Client, context: Context, workspace: string) {
  try {
    const shown = '--workspace';
    const workspaceId = await new Names(client, context).idOf(workspace, { field: 'workspaceId', shown });
    const { body } = await client.send(operationNamed(context, 'auth.switchWorkspace'), { body: { workspaceId } });
    const { token, expiresAt } = body as { token: string; expiresAt: string };
    return { token, expiresAt };
  } catch (error) {
    await client.send(operationNamed(context, 'auth.signOut'), {}).catch(() => {});
    throw error;
  }
}

/** @throws CliFailure 2 for a key with characters that no header may contain. */
function checked(credential: NewCredential): NewCredential {
  if (!('apiKey' in credential) || /^[\x21-\x7e]{1,500}$/.test(credential.apiKey ?? '')) return credential;
  throw usage('This is not an API key. Keys begin with tandem_sk_ and contain no spaces.');
}

async function signIn(parsed: Parsed, context: Context, url: string): Promise<NewCredential> {
  const email = flagOf(parsed, 'email');
  const ways = [email, flagOf(parsed, 'key') ?? flagOf(parsed, 'key-file'), parsed.general.get('browser')];
  if (ways.filter((each) => each !== undefined).length > 1) throw usage('Choose one of --key, --browser and --email.');
  if (email === undefined && flagOf(parsed, 'workspace') !== undefined) throw usage('--workspace goes with --email.');
  if (email !== undefined) return withPassword(parsed, context, url, email);
  return parsed.general.has('browser') ? withBrowser(context, url) : withKey(parsed, context, url);
}

/** A key and a grant replace each other; a session is stored beside either. */
function merged(before: Profile | undefined, url: string, credential: NewCredential): Profile {
  if (!before || before.url !== url) return { url, ...credential };
  const { apiKey, grant, session } = before;
  if ('session' in credential) return { url, ...(apiKey && { apiKey }), ...(grant && { grant }), ...credential };
  return { url, ...(session && { session }), ...credential };
}

async function run(parsed: Parsed, context: Context): Promise<number> {
  const { store, environment, out, err } = context;
  const name = profileNameOf(parsed, context);
  const { profiles, current } = store.read();
  const given = flagOf(parsed, 'url') ?? environment.TANDEM_URL;
  const url = serviceUrl(given ?? profiles[name]?.url ?? profiles[current]?.url ?? localUrl);
  if (given === undefined) err.write(`Signing in to ${url}\n`);
  if (isUnencrypted(url)) err.write(`Warning: ${url} is not https, so requests are not encrypted.\n`);
  // An invalid value of --timeout is refused before a credential is made.
  clientFor(parsed, context, url);
  const newCredential = checked(await signIn(parsed, context, url));
  const operation = operationNamed(context, 'meta.identity');
  const { body } = await clientFor(parsed, context, url, newCredential).send(operation, {});
  const { workspace, user, credential } = body as Identity;
  await store.change((settings) => {
    if (Object.keys(settings.profiles).length === 0) settings.current = name;
    settings.profiles[name] = merged(settings.profiles[name], url, newCredential);
  });
  // The owner that the first start makes has no address yet.
  const address = user.email === '' ? '' : ` (${oneLine(user.email)})`;
  out.write(`Signed in to ${oneLine(workspace.name)} at ${url} as ${oneLine(user.name)}${address}.\n`);
  if (credential.type !== 'session') out.write(`Scopes: ${credential.scopes.map(oneLine).join(', ')}.\n`);
  if (environment.TANDEM_API_KEY)
    err.write('TANDEM_API_KEY is set and takes precedence over the stored credentials.\n');
  return exitCodes.done;
}

/** `tandem login`. */
export const login: LocalCommand = {
  words: ['login'],
  summary: 'Sign in with an API key, a browser or a password',
  description: `Without a flag it prompts for an API key. With --browser you choose the workspace and the scopes in the browser. --email opens a session, after a code where you have a second factor (the second line of stdin); it can also manage keys, members and notifications; it is stored beside the key and ends after 12 hours without use. Credentials are stored in a file that only you can read, and are sent to this service only.`,
  arguments: [],
  options: [],
  flags: [
    {
      flag: 'url',
      label: 'URL',
      description: 'Address of the service. Default: that of the profile, or of the current one.',
    },
    { flag: 'key', label: '-', description: 'Read the API key from a line of stdin.' },
    { flag: 'key-file', label: 'PATH', description: 'Read the API key from a file.' },
    { flag: 'browser', description: 'Sign in with the browser (OAuth).' },
    { flag: 'email', label: 'EMAIL', description: 'Sign in as a person, with a password.' },
    { flag: 'workspace', label: 'NAME|ID', description: 'Workspace of the session, of several that you are in.' },
    { flag: 'password', label: '-', description: 'Read the password from a line of stdin.' },
    { flag: 'password-file', label: 'PATH', description: 'Read the password from a file.' },
  ],
  examples: [
    'login --url https://tandem.example.com',
    'login --browser',
    'login --email ada@example.com --profile ada',
    'login --email ada@example.com --workspace "Ada’s team"',
    'login --key - < key.txt',
  ],
  run,
};
