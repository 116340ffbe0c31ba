import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from './frame.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const file = new URL('../../haproxy.cfg', import.meta.url);

/** HAProxy with haproxy.cfg, in front of the ports of two processes. */
export interface Balancer {
  url: string;
  /** Waits until it sends requests to this many processes. */
  untilUp(count: number): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error when there is no program `haproxy`, or it refuses the configuration. */
export async function startBalancer(ports: readonly [number, number]): Promise<Balancer> {
  const [port, statistics] = [await freePort(), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'tandem-haproxy-'));
  const given = await readFile(file, 'utf8');
  const adapted = given
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll(/tandem-([12]):8080/g, (_, place) => `127.0.0.1:${ports[place - 1]}`);
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
    return text.split('\n').filter((line) => /^processes,tandem-\d,/.test(line) && line.split(',')[17] === 'UP').length;
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
