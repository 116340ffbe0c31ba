import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { settleAfterMs } from '../../server/settle.ts';
import { type ServiceProcess, startProcess } from './processes.ts';

/** A time that the event loop of a service was held: processor time of its main thread, in ms. */
export interface Hold {
  /** When it ended, in ms since 1970. */
  at: number;
  cpuMs: number;
}

const recorder = pathToFileURL(join(import.meta.dirname, 'held-loop-recorder.mjs')).href;

/** A service as a process of its own, and how long its event loop was held so far. */
export interface ObservedService extends ServiceProcess {
  holds(): Promise<Hold[]>;
}

/**
 * Waits for the work that a service does once after its start. Timers run before requests that arrived: it is done
 * before the first one here is answered, and recorded before the second.
 */
async function untilSettled(url: string): Promise<void> {
  await sleep(settleAfterMs + 100);
  for (let asked = 0; asked < 2; asked++) await (await fetch(`${url}/healthz`)).body?.cancel();
}

/** Starts a service whose event loop is observed, and waits until it has settled; `directory` takes the record. */
export async function startObserved(directory: string, environment: Record<string, string>): Promise<ObservedService> {
  const record = join(directory, `holds-${crypto.randomUUID()}`);
  const service = await startProcess({
    ...environment,
    NODE_OPTIONS: `--import=${recorder}`,
    LOOP_RECORD: record,
  });
  await untilSettled(service.url);
  const holds = async () => {
    const lines = (await readFile(record, 'utf8')).split('\n').filter((line) => line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as Hold);
  };
  return { ...service, holds };
}

/** Reads the todos of a workspace again and again, from a thread that nothing else holds. */
export function probeTodos(url: string, key: string, pauseMs: number) {
  const times: number[] = [];
  const statuses = new Set<number>();
  const worker = new Worker(new URL('./todo-prober.ts', import.meta.url), { workerData: { url, key, pauseMs } });
  worker.on('message', ({ ms, status }: { ms: number; status: number }) => {
    times.push(ms);
    statuses.add(status);
  });
  return {
    times,
    statuses,
    stop: () => worker.terminate(),
  };
}

/** The value below which a share of the others lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
