import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'uvu';
import { ask } from './frame.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const file = new URL('../../haproxy.cfg', import.meta.url);

/**
 * `test` where HAProxy is installed; else it skips `what`, and says so.
 * @throws Error without HAProxy when `CI` is true.
 */
export function behindBalancer(test: Test, what: string): Test | Test['skip'] {
  if (spawnSync('haproxy', ['-v']).status === 0) return test;
  const missing = `No haproxy on this machine to run “${what}” with. Install it.`;
  if (process.env.CI === 'true') throw new Error(missing);
  process.stdout.write(`${missing} Skipped.\n`);
  return test.skip;
}

/** HAProxy with haproxy.cfg, in front of the ports of processes. */
export interface Balancer {
  url: string;
  /** Waits until it sends requests to this many processes. */
  untilUp(count: number): Promise<void>;
  close(): Promise<void>;
}

/** The lines of haproxy.cfg that name the processes, for those at these ports. */
function serversAt(given: string, ports: readonly number[]): string {
  const servers = /( +server tandem-1(?:-unready)? )tandem-1:8080(.*)\n +server tandem-2.*/g;
  if (given.match(servers)?.length !== 2) throw new Error('haproxy.cfg has no lines for tandem-1 and tandem-2');
  return given.replace(servers, (_, before: string, after: string) =>
    ports.map((port, place) => `${before.replace('-1', `-${place + 1}`)}127.0.0.1:${port}${after}`).join('\n'),
  );
}

/** @throws Error when there is no program `haproxy`, or it refuses the configuration. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const [port, statistics] = [await freePort(), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'tandem-haproxy-'));
  const given = await readFile(file, 'utf8');
  const adapted = serversAt(given, ports).replace('bind :8080', `bind 127.0.0.1:${port}`);
  const path = join(folder, 'haproxy.cfg');
  await writeFile(
    path,
    `${adapted}\nfrontend statistics\n  bind 127.0.0.1:${statistics}\n  stats enable\n  stats uri /\n`,
  );
  const child: ChildProcess = spawn('haproxy', ['-db', '-f', path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve());
  });
  exited.catch(() => {});
  const up = async () => {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`haproxy did not start: ${output}`);
    const { text } = await ask(`http://127.0.0.1:${statistics}/;csv`).catch(() => ({ text: '' }));
    // “UP 1/3”: it is not out yet.
    const isUp = (line: string) => /^processes,tandem-\d+,/.test(line) && /^UP/.test(line.split(',')[17] ?? '');
    return text.split('\n').filter(isUp).length;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    untilUp: (count) =>
      until(
        async () => (await up()) === count,
        () => output,
      ),
    close: async () => {
      child.kill('SIGKILL');
      await exited.catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}
