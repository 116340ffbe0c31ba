import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/* A worker thread that reads a list again and again, and posts the milliseconds of each answer. */

const { url, key, pauseMs } = workerData as { url: string; key: string; pauseMs: number };
const headers = { authorization: `Bearer ${key}` };

for (;;) {
  const begun = performance.now();
  const response = await fetch(`${url}/api/v1/todos`, { headers });
  await response.arrayBuffer();
  parentPort?.postMessage({ ms: performance.now() - begun, status: response.status });
  await sleep(pauseMs);
}
