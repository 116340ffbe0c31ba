import { createTandemClient } from 'tandem/client';
import { actingAs } from './acting.ts';
import { noteAnswer } from './answers.ts';
import { firstRead } from './first-read.ts';
import { inTime } from './in-time.ts';

export * from './problem.ts';

/** What is streamed may have nothing to say for long, and is watched by whoever follows it. */
const isStream = (address: string) => /\/trpc\/\w+\.stream/.test(address);

/** Changes name for whom they are made; what is read shows it, and may have been begun before. */
const send: typeof fetch = (address, init) => {
  if (init?.method !== 'POST') {
    const read = (signal = init?.signal ?? null) => firstRead(String(address)) ?? fetch(address, { ...init, signal });
    return isStream(String(address)) ? read() : inTime(read, init?.signal);
  }
  return fetch(address, { ...init, headers: { ...(init.headers as object), ...actingAs() } });
};

/**
 * The typed API. The session is an HttpOnly cookie. Retries are disabled here, because TanStack Query or the user
 * decides on them.
 */
export const api = createTandemClient({ url: '', retries: 0, fetch: send, onAnswer: noteAnswer });
