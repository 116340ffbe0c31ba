import { createTandemClient } from 'tandem/client';
import { actingAs } from './acting.ts';
import { noteAnswer } from './answers.ts';
import { firstRead } from './first-read.ts';

export * from './problem.ts';

/** Changes name for whom they are made; what is read shows it, and may have been begun before. */
const send: typeof fetch = (address, init) => {
  if (init?.method !== 'POST') return firstRead(String(address)) ?? fetch(address, init);
  return fetch(address, { ...init, headers: { ...(init.headers as object), ...actingAs() } });
};

/**
 * The typed API. The session is an HttpOnly cookie. Retries are disabled here, because TanStack Query or the user
 * decides on them.
 */
export const api = createTandemClient({ url: '', retries: 0, fetch: send, onAnswer: noteAnswer });
