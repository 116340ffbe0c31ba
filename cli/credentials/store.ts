import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliFailure, exitCodes } from '../model/failure.ts';

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
const staleLockMs = 10_000;

function isSettings(value: unknown): value is Settings {
  const { version, profiles } = (value ?? {}) as Partial<Settings>;
  return version === 1 && typeof profiles === 'object' && profiles !== null;
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
      // The second where the home of the user is no directory, such as `/dev/null`.
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

  /** Applies a change to the stored settings, under a lock between processes. */
  async change(change: (settings: Settings) => void): Promise<void> {
    const directory = dirname(this.path);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const lock = `${this.path}.lock`;
    await this.#lock(lock);
    const fresh = `${this.path}.${process.pid}`;
    try {
      const settings = this.read();
      change(settings);
      rmSync(fresh, { force: true });
      const file = openSync(fresh, 'wx', 0o600);
      writeSync(file, `${JSON.stringify(settings, null, 2)}\n`);
      fsyncSync(file);
      closeSync(file);
      renameSync(fresh, this.path);
    } finally {
      rmSync(fresh, { force: true });
      rmSync(lock, { recursive: true, force: true });
    }
  }

  /** mkdir is atomic. A lock that is older than `staleLockMs` was left by a killed process and is removed. */
  async #lock(path: string): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      try {
        mkdirSync(path);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > staleLockMs) rmSync(path, { recursive: true, force: true });
      else await sleep(50);
    }
    throw new CliFailure(exitCodes.failed, `Another process holds the lock ${path}. Try again.`);
  }
}
