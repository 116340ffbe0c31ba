import { createTandemClient } from 'tandem/client';
import { noteAnswer } from './answers.ts';

export * from './problem.ts';

/**
 * The typed API. The session is an HttpOnly cookie. Retries are disabled here, because TanStack Query or the user
 * decides on them.
 */
export const api = createTandemClient({ url: '', retries: 0, onAnswer: noteAnswer });
