import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent } from '../routers/live.ts';
import type { TestService } from './harness.ts';

/** A follower of a chat that writes down what it hears. */
export interface Follower {
  heard: LiveEvent[];
  /** The kinds of what it heard, in order. */
  kinds(): LiveEvent['kind'][];
  /** Forgets what it heard so far. */
  clear(): void;
  leave(): void;
}

export function follow({ service }: TestService, chatId: string, closely = false): Follower {
  const heard: LiveEvent[] = [];
  const leave = service.backstage.live.subscribe(chatId, (event) => heard.push(event), closely);
  return {
    heard,
    kinds: () => heard.map(({ kind }) => kind),
    clear: () => {
      heard.length = 0;
    },
    leave,
  };
}

/** Waits until the process listens: its own word comes back to it. */
export async function listening(service: TestService): Promise<void> {
  const probe = follow(service, crypto.randomUUID(), true);
  for (let tries = 0; tries < 200 && probe.heard.length === 0; tries++) await sleep(20);
  probe.leave();
  if (probe.heard.length === 0) throw new Error('the process does not listen');
}
