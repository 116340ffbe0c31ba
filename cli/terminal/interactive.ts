import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliFailure, exitCodes } from '../model/failure.ts';

/** Whether stdin and stderr are a terminal, so that a prompt is possible. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Prompts for one line. A secret is not echoed. @throws CliFailure 130 for Ctrl-C. */
export async function ask(question: string, isSecret = false): Promise<string> {
  let isMuted = false;
  const output = new Writable({
    write: (chunk, _, done) => {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      const stopped = () => reject(new CliFailure(exitCodes.interrupted, 'Interrupted. Nothing was changed.'));
      reader.once('SIGINT', stopped).once('close', stopped);
      reader.question(question, (answer) => resolve(answer.trim()));
      isMuted = isSecret;
    });
  } finally {
    reader.removeAllListeners('close').close();
    if (isSecret) process.stderr.write('\n');
  }
}

/** The program that opens an address: `$BROWSER`, else the system's. */
function opener(environment: Readonly<Record<string, string | undefined>>): [string, ...string[]] {
  if (environment.BROWSER) return [environment.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  // `start` would interpret an & in the address.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/** A program that opens an address has failed by then, or runs as the browser. */
const startMs = 5000;

/** Opens an address in the browser; a missing browser is not an error. */
export function openBrowser(address: string, environment: Readonly<Record<string, string | undefined>>): void {
  const [program, ...before] = opener(environment);
  const child = spawn(program, [...before, address], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}

/** Whether programs of this machine can show a window: no `$BROWSER` and no display means none. */
function hasDisplay({ BROWSER, DISPLAY, WAYLAND_DISPLAY }: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(BROWSER || DISPLAY || WAYLAND_DISPLAY) || ['darwin', 'win32'].includes(process.platform);
}

/** Opens an address in the browser, and waits for the program that does; false when there is none or it fails. */
export async function tryBrowser(
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  if (!hasDisplay(environment)) return false;
  const [program, ...before] = opener(environment);
  const child = spawn(program, [...before, address], { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    // A browser that was not running stays in the foreground.
    const timer = setTimeout(() => resolve(true), startMs);
    child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0));
    child.once('error', () => clearTimeout(timer)).once('exit', () => clearTimeout(timer));
  });
}
