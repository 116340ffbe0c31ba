import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ScriptName } from './model-server/scripts.ts';

/** A model server in a process of its own, which outlives the services that ask it. */
export interface ModelProcess {
  /** Settings of a service that asks it. */
  environment: Record<string, string>;
  stop(): void;
}

/** Starts one with a built-in script; each answer takes `delayMs`. @throws Error when it does not come up. */
export async function startModelProcess(script: ScriptName, delayMs: number): Promise<ModelProcess> {
  const main = fileURLToPath(new URL('./model-server-main.ts', import.meta.url));
  const args = [main, '--script', script, '--delay', String(delayMs)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!child.stdout) throw new Error('no output to read');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the model server ended with ${code}`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  const { url } = JSON.parse(line);
  const AI = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: url, AI_API_KEY: 'none', AI_MODEL: script };
  return { environment: AI, stop: () => child.kill() };
}
