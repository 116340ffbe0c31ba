import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { until } from './until.ts';

/** PgBouncer in front of one database. */
export interface Bouncer {
  /** The URL of the same database through it. */
  url: string;
  /** Ends it at once: its clients lose their connections. */
  close(): Promise<void>;
}

/** Whether the program is installed; `CI` requires it. */
export function hasPgbouncer(): boolean {
  const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
  if (isInstalled) return true;
  const missing = 'No pgbouncer on this machine. Install it to run the tests of poolers.';
  if (process.env.CI === 'true') throw new Error(missing);
  process.stdout.write(`${missing} Skipped.\n`);
  return false;
}

/** PgBouncer does not run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Starts PgBouncer before the database at `databaseUrl`. `settings` are lines of its section [pgbouncer]. */
export async function startPgbouncer(databaseUrl: string, settings: Record<string, string>): Promise<Bouncer> {
  const { hostname, port, username, password: given, pathname } = new URL(databaseUrl);
  const own = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'tandem-pgbouncer-'));
  const [name, user, secret] = [pathname.slice(1), decodeURIComponent(username), decodeURIComponent(given)];
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(own),
    unix_socket_dir: '',
    auth_type: 'any',
    max_client_conn: '500',
    default_pool_size: '100',
    ...settings,
  };
  const lines = Object.entries(all).map(([setting, value]) => `${setting} = ${value}`);
  // An empty password is a syntax error.
  const password = secret && `password='${secret}'`;
  const target = `${name} = host=${hostname} port=${port} dbname=${name} user=${user} ${password}`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'));
  await chmod(folder, 0o755);
  const child: ChildProcess = spawn('pgbouncer', [file], { stdio: ['ignore', 'pipe', 'pipe'], ...nobody });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = new Promise<void>((resolve) => child.on('close', () => resolve()));
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${output}`);
      return output.includes('process up');
    },
    () => output,
  );
  return {
    url: `postgres://${encodeURIComponent(user)}@127.0.0.1:${own}/${name}`,
    close: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
