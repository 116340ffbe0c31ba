import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/* The runner of @modelcontextprotocol/conformance. */

export interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
  details?: { untestable?: boolean };
}

const runner = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Runs one scenario against an endpoint; its checks. Results are written below `directory`. */
export async function runScenario(scenario: string, url: string, directory: string): Promise<Check[]> {
  const results = join(directory, scenario);
  const args = ['server', '--url', url, '--scenario', scenario, '--output-dir', results];
  const child = spawn(process.execPath, [runner, ...args], { stdio: 'ignore', cwd: directory });
  await new Promise((done) => child.on('close', done));
  const files = await readdir(results, { recursive: true });
  const file = files.find((name) => name.endsWith('checks.json'));
  if (!file) throw new Error(`No results of ${scenario}`);
  return JSON.parse(await readFile(join(results, file), 'utf8')) as Check[];
}

/** The names of all scenarios for servers that the runner has. */
export async function scenarioNames(): Promise<string[]> {
  const child = spawn(process.execPath, [runner, 'list', '--server'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: tmpdir(),
  });
  const listed = await text(child.stdout);
  return [...listed.matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name ?? '');
}

/** The checks that did not pass, as their ids with what is wrong. */
export function failuresOf(checks: readonly Check[]): string[] {
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  return failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
}
