import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/** How a command of the operator ended. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const folder = fileURLToPath(new URL('../../scripts/', import.meta.url));

/** Runs `scripts/<name>.ts` with these settings over those of the test, from a directory without a .env file. */
export function runScript(name: string, args: string[], settings: Record<string, string> = {}): Promise<Ended> {
  const options = { env: { ...process.env, ...settings }, cwd: tmpdir() };
  const command = [`${folder}${name}.ts`, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
