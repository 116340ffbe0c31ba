import type { LiveEvent } from '../../domain/live.ts';
import type { TestService } from './harness.ts';
import { until } from './until.ts';

/** A follower of a chat that writes down what it receives. */
export interface Follower {
  received: LiveEvent[];
  /** The kinds of what it received, in order. */
  kinds(): LiveEvent['kind'][];
  /** Removes what it received so far. */
  clear(): void;
  leave(): void;
}

export function follow({ service }: TestService, chatId: string, closely = false): Follower {
  const received: LiveEvent[] = [];
  const leave = service.live.subscribe(chatId, (event) => received.push(event), closely);
  return {
    received,
    kinds: () => received.map(({ kind }) => kind),
    clear: () => {
      received.length = 0;
    },
    leave,
  };
}

/** Waits until the process listens: its own notification comes back to it. */
export async function listening(service: TestService): Promise<void> {
  const probe = follow(service, crypto.randomUUID(), true);
  await until(() => probe.received.length > 0).finally(probe.leave);
}
