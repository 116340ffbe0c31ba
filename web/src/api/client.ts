import { createTandemClient } from 'tandem/client';
import { actingAs } from './acting.ts';
import { noteAnswer } from './answers.ts';

export * from './problem.ts';

/** Changes name for whom they are made; what is read shows it. */
const send: typeof fetch = (address, init) =>
  fetch(address, init?.method === 'POST' ? { ...init, headers: { ...(init.headers as object), ...actingAs() } } : init);

/**
 * The typed API. The session is an HttpOnly cookie. Retries are disabled here, because TanStack Query or the user
 * decides on them.
 */
export const api = createTandemClient({ url: '', retries: 0, fetch: send, onAnswer: noteAnswer });
