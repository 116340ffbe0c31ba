import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliFailure, exitCodes } from '../model/failure.ts';
import { FileLock } from './lock.ts';

/** The tokens of an OAuth sign-in (docs/cli.md “Signing in”). */
export interface Grant {
  clientId: string;
  accessToken: string;
  refreshToken: string;
  /** Expiry of the access token. */
  expiresAt: string;
  tokenEndpoint: string;
  revocationEndpoint: string;
}

/** A service address and its credentials, which are sent to `url` only. */
export interface Profile {
  url: string;
  apiKey?: string;
  grant?: Grant;
  session?: { token: string; email: string; expiresAt: string };
}

export interface Settings {
  version: 1;
  /** Name of the default profile. */
  current: string;
  profiles: Record<string, Profile>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const none = (): Settings => ({ version: 1, current: 'default', profiles: Object.create(null) });

function isSettings(value: unknown): value is Settings {
  const { version, profiles } = (value ?? {}) as Partial<Settings>;
  return version === 1 && typeof profiles === 'object' && profiles !== null;
}

function write(path: string, settings: Settings): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Stored profiles: a file that only the user may read, replaced atomically. */
export class Store {
  readonly path: string;

  /** In `$XDG_CONFIG_HOME/tandem`, else `~/.config/tandem` (XDG Base Directory Specification). */
  constructor({ XDG_CONFIG_HOME, HOME }: Environment) {
    const base = XDG_CONFIG_HOME?.startsWith('/') ? XDG_CONFIG_HOME : join(HOME || homedir(), '.config');
    this.path = join(base, 'tandem', 'config.json');
  }

  /** @throws CliFailure when the file exists and cannot be read; it is never overwritten then. */
  read(): Settings {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      // ENOTDIR: the home of the user is no directory, such as `/dev/null`.
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return none();
      throw new CliFailure(exitCodes.failed, `${this.path} cannot be read: ${(error as Error).message}`);
    }
    try {
      const value: unknown = JSON.parse(text);
      if (isSettings(value)) return { ...value, profiles: Object.assign(Object.create(null), value.profiles) };
    } catch {}
    const hint = 'Fix it, or remove it and sign in again: tandem login';
    throw new CliFailure(exitCodes.failed, `${this.path} is not a valid configuration file.`, [hint]);
  }

  /**
   * Applies a change to the stored settings, under a lock between processes. `change` is only called where the file can
   * be written, and again when the lock was lost meanwhile.
   */
  async change(change: (settings: Settings) => void | Promise<void>): Promise<void> {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    for (let isStored = false; !isStored; ) {
      const lock = await FileLock.take(`${this.path}.lock`);
      const fresh = `${this.path}.${lock.token}`;
      try {
        const settings = this.read();
        // A change may spend what it stores: a refresh token works once.
        write(fresh, settings);
        await change(settings);
        write(fresh, settings);
        isStored = lock.isHeld();
        if (isStored) renameSync(fresh, this.path);
      } finally {
        rmSync(fresh, { force: true });
        lock.release();
      }
    }
  }
}
