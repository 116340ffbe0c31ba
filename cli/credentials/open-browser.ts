import { spawn } from 'node:child_process';

/** The program that shows an address: `$BROWSER`, else that of the system. */
function opener(environment: Readonly<Record<string, string | undefined>>): [string, ...string[]] {
  if (environment.BROWSER) return [environment.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  // `start` would read an & in the address as its own.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/** Shows an address in the browser if there is one; that there is none is no fault. */
export function openBrowser(address: string, environment: Readonly<Record<string, string | undefined>>): void {
  const [program, ...before] = opener(environment);
  const child = spawn(program, [...before, address], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
