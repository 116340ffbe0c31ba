import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CliFailure, exitCodes } from '../model/failure.ts';

/** The file that this client runs from. */
export interface Installed {
  path: string;
  bytes: Buffer;
  mode: number;
}

/** Directories of package managers, and how their users update; NAME stands for the package. */
const managed: readonly (readonly [pattern: RegExp, name: string, command: string])[] = [
  [/[\\/]node_modules[\\/]/, 'npm or a similar program', 'npm install --global NAME@latest'],
  [/[\\/]\.pnp|[\\/]\.yarn[\\/]/, 'Yarn', 'yarn up NAME'],
  [/[\\/]Cellar[\\/]|[\\/]homebrew[\\/]/, 'Homebrew', 'brew upgrade tandem'],
  [/^[\\/](nix|gnu)[\\/]store[\\/]/, 'the system', 'the configuration of your system'],
  [/^[\\/](usr[\\/]bin|usr[\\/]lib|bin|snap)[\\/]/, 'the system', 'the package manager of your system'],
];

const refusal = (message: string, ...hints: string[]) =>
  new CliFailure(exitCodes.failed, message, [...hints, 'Nothing was changed.']);

/** Name of the npm package that a file is part of. */
function packageOf(path: string): string {
  try {
    return String(JSON.parse(readFileSync(join(dirname(path), 'package.json'), 'utf8')).name);
  } catch {
    return 'tandem';
  }
}

/** The file of the running client. @throws CliFailure when something else installed it. */
export function installedFile(program: string | undefined): Installed {
  if (program === undefined || !existsSync(program)) throw refusal('This client does not run from a file of its own.');
  const path = realpathSync(program);
  const manager = managed.find(([pattern]) => pattern.test(path));
  if (manager) {
    const [, name, command] = manager;
    throw refusal(
      `This client was installed by ${name}, which must update it: ${path}`,
      `Use: ${command.replace('NAME', packageOf(path))}`,
    );
  }
  if (existsSync(join(dirname(path), 'sources.sha256'))) {
    throw refusal(`This client was built from source: ${path}`, 'Build it again: npm run build');
  }
  const bytes = readFileSync(path);
  if (!bytes.subarray(0, 200).includes('Command-line client of Tandem in one file')) {
    throw refusal(`${path} is not the file of this client.`);
  }
  return { path, bytes, mode: statSync(path).mode & 0o777 };
}

/** The version that a new file prints. @throws CliFailure when it does not run. */
function versionOf(path: string): string {
  const { status, stdout } = spawnSync(process.execPath, [path, '--version'], { encoding: 'utf8', timeout: 60_000 });
  const version = /^tandem (\S+)\n$/.exec(stdout ?? '')?.[1];
  if (status === 0 && version !== undefined) return version;
  throw refusal(`The new client does not run with Node.js ${process.versions.node}.`);
}

/**
 * Replaces the file: the new one is written beside it, tried, and renamed, so that there is a working client at every
 * moment. Returns the new version. @throws CliFailure when the file cannot be replaced; it is unchanged then.
 */
export function replaceFile({ path, mode }: Installed, bytes: Buffer): string {
  const fresh = join(dirname(path), `.tandem-${process.pid}.cjs`);
  try {
    rmSync(fresh, { force: true });
    const file = openSync(fresh, 'wx', mode);
    try {
      writeFileSync(file, bytes);
      fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const version = versionOf(fresh);
    renameSync(fresh, path);
    return version;
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const isDenied = code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
    throw isDenied
      ? refusal(`${path} cannot be replaced: you may not write to its directory.`)
      : refusal(`${path} cannot be replaced: ${message}.`);
  } finally {
    rmSync(fresh, { force: true });
  }
}
