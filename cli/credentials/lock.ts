import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliFailure, exitCodes } from '../model/failure.ts';

/** A lock that was not touched for this long was left by a killed process. */
const staleMs = 10_000;
const touchMs = 2_000;
/** Longer than a lock is held while a grant is renewed. */
const maxWaitMs = 75_000;

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

/** Creates a file that does not exist yet; false when it does. */
function create(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  try {
    writeFileSync(file, text);
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Several processes may do this at once, so the lock that is removed may be a new one: its holder checks `isHeld`. */
function removeStale(path: string): void {
  const moved = `${path}.${randomUUID()}`;
  try {
    renameSync(path, moved);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  rmSync(moved, { recursive: true, force: true });
}

/** A lock between processes: a file that contains the token of its holder and is touched while it is held. */
export class FileLock {
  readonly token: string;
  readonly #path: string;
  readonly #touching: NodeJS.Timeout;

  private constructor(path: string, token: string) {
    this.#path = path;
    this.token = token;
    this.#touching = setInterval(() => this.#touch(), touchMs).unref();
  }

  /** Waits for the lock. @throws CliFailure 1 when another process holds it for longer than 75 s. */
  static async take(path: string): Promise<FileLock> {
    const token = randomUUID();
    for (const until = Date.now() + maxWaitMs; ; ) {
      if (create(path, token)) return new FileLock(path, token);
      const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > staleMs) removeStale(path);
      else if (Date.now() < until) await sleep(50);
      else throw new CliFailure(exitCodes.failed, `Another process holds the lock ${path}. Try again.`);
    }
  }

  /** False when another process took it for one that was left: then nothing may be written. */
  isHeld(): boolean {
    try {
      return readFileSync(this.#path, 'utf8') === this.token;
    } catch {
      return false;
    }
  }

  #touch(): void {
    if (this.isHeld()) utimesSync(this.#path, new Date(), new Date());
  }

  /** Removes the lock unless another process holds it. */
  release(): void {
    clearInterval(this.#touching);
    if (this.isHeld()) rmSync(this.#path, { force: true });
  }
}
