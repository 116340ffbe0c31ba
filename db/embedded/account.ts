import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import { promisify } from 'node:util';
import { EmbeddedDatabaseError } from '../errors.ts';

const run = promisify(execFile);

/** The operating system account that runs PostgreSQL, which refuses to run as root. */
export interface Account {
  /** Absent when the service's own account runs it. */
  ids?: { uid: number; gid: number };
  /** Turns a program and its arguments into what to spawn so that it runs under the account. */
  command(program: string, args: string[]): { file: string; args: string[]; ids: { uid?: number; gid?: number } };
  /** Gives a path to the account. */
  own(path: string): Promise<void>;
}

export interface AccountNeeds {
  dataDir: string;
  clusterDir: string;
  program: string;
}

const ownAccount: Account = {
  command: (file, args) => ({ file, args, ids: {} }),
  own: async () => {},
};

/**
 * Chooses the account: ours, or for root the owner of the existing cluster, or else the user `postgres`, created when
 * missing. Makes sure that the account reaches the program and the data directory.
 */
export async function chooseAccount(needs: AccountNeeds): Promise<Account> {
  const owner = await fs.stat(needs.clusterDir).catch(() => undefined);
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (owner && uid !== undefined && owner.uid !== uid) {
      throw new EmbeddedDatabaseError(
        `The database directory ${needs.clusterDir} belongs to the user with id ${owner.uid}, but this process runs as ${uid}. ` +
          'Run Tandem as that user (or as root), or set DATA_DIR to another directory.',
      );
    }
    return ownAccount;
  }
  const ids = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await postgresUser();
  const plain: Account = {
    ids,
    command: (file, args) => ({ file, args, ids }),
    own: (path) => fs.lchown(path, ids.uid, ids.gid),
  };
  if (owner?.uid === 0) await run('chown', ['-R', `${ids.uid}:${ids.gid}`, needs.clusterDir]);
  return await withReach(plain, ids, needs);
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const find = async () => {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  };
  try {
    return await find();
  } catch {
    await run('groupadd', ['--system', 'postgres']).catch(() => undefined);
    const made = run('useradd', ['--system', '-g', 'postgres', '-M', '-s', '/bin/false', 'postgres']);
    const failure = await made.then(
      () => undefined,
      (error: unknown) => error,
    );
    return await find().catch(() => {
      throw new EmbeddedDatabaseError(
        'PostgreSQL refuses to run as root, there is no user named "postgres" to run it as, and creating one failed. ' +
          'Create the user, or run Tandem as an ordinary user, or set DATABASE_URL.',
        { cause: failure },
      );
    });
  }
}

async function withReach(account: Account, ids: { uid: number; gid: number }, needs: AccountNeeds): Promise<Account> {
  const paths = [needs.dataDir, needs.program];
  let blocked = await unreachable(account, paths);
  if (blocked === needs.dataDir) {
    // Entering without listing: the files inside keep their own modes.
    const { mode } = await fs.stat(needs.dataDir);
    await fs.chmod(needs.dataDir, mode | 0o001).catch(() => undefined);
    blocked = await unreachable(account, paths);
  }
  if (!blocked) return account;
  const privileged = await withSearchCapability(account, ids);
  if (privileged && !(await unreachable(privileged, paths))) return privileged;
  throw new EmbeddedDatabaseError(
    `PostgreSQL refuses to run as root, and the user it runs as (id ${ids.uid}) cannot enter the directories above ${blocked}. ` +
      'Move Tandem and DATA_DIR to a directory that everybody may enter (for example under /srv or /var/lib), ' +
      'or run Tandem as an ordinary user, or set DATABASE_URL.',
  );
}

/** The first of the paths that the account cannot enter or execute. */
async function unreachable(account: Account, paths: string[]): Promise<string | undefined> {
  for (const path of paths) {
    const { file, args, ids } = account.command('/bin/sh', ['-c', 'test -x "$1"', 'sh', path]);
    try {
      await run(file, args, { ...ids, cwd: '/' });
    } catch (error) {
      if (typeof (error as { code?: unknown }).code === 'number') return path;
      throw new EmbeddedDatabaseError(
        'PostgreSQL refuses to run as root, and this environment does not let root switch to another user. ' +
          'Run Tandem as an ordinary user, or set DATABASE_URL.',
        { cause: error },
      );
    }
  }
  return undefined;
}

/**
 * For an installation below a closed directory such as /root (mode 700): the account gets the one capability to pass
 * through directories (capabilities(7), ambient set), by util-linux' setpriv.
 */
async function withSearchCapability(account: Account, ids: { uid: number; gid: number }): Promise<Account | undefined> {
  const status = await fs.readFile('/proc/self/status', 'utf8').catch(() => '');
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  const [dacOverride, dacReadSearch] = [1n << 1n, 1n << 2n];
  const name = effective & dacReadSearch ? 'dac_read_search' : effective & dacOverride ? 'dac_override' : undefined;
  const installed = await run('setpriv', ['--version']).then(
    () => true,
    () => false,
  );
  if (!name || !installed) return undefined;
  const grant = ['--inh-caps', `-all,+${name}`, '--ambient-caps', `+${name}`];
  const flags = ['--reuid', `${ids.uid}`, '--regid', `${ids.gid}`, '--clear-groups', ...grant, '--'];
  return { ...account, command: (file, args) => ({ file: 'setpriv', args: [...flags, file, ...args], ids: {} }) };
}
