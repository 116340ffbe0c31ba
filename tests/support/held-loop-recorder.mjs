/*
 * Loaded with `--import` into a service: writes a JSON line to LOOP_RECORD for each time that its event loop is held.
 */

import { openSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * The processor time that the main thread took since the last sample is that of one hold, and at most this much more.
 */
const sampleMs = 5;
const shortestMs = 20;

if (isMainThread && process.env.LOOP_RECORD) {
  const file = openSync(process.env.LOOP_RECORD, 'a');
  let before = process.threadCpuUsage();
  const sample = () => {
    const now = process.threadCpuUsage();
    const cpuMs = (now.user - before.user + now.system - before.system) / 1000 - sampleMs;
    before = now;
    if (cpuMs >= shortestMs) writeSync(file, `${JSON.stringify({ at: Date.now(), cpuMs })}\n`);
  };
  setInterval(sample, sampleMs).unref();
}
