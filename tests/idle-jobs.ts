import type { Jobs } from '../routers/jobs.ts';

/** A queue that nobody works on. */
export const idleJobs: Jobs = { turn: async () => {}, digest: async () => {}, capture: async () => {} };
