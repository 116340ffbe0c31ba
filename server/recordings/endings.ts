import type { StopReason } from '../../domain/captures/recording.ts';
import { StoreFault } from '../../media/storage/store.ts';
import { FrameFault, type ServerFrame } from './frames.ts';
import { LeaseLost } from './lease-renewal.ts';

/** How a connection ends, as its client sees it. */
export interface Ending {
  frame?: ServerFrame;
  code: number;
  reason?: string;
  /** Whether the fault is the service's. */
  isOurs?: boolean;
}

/** The client left. */
export const clientLeft: Ending = { code: 1000 };
/** The process stops: the client continues with another one. */
export const restart: Ending = { code: 1012, reason: 'restart' };
/** Another connection holds the recording. */
export const replaced: Ending = { code: 4001, reason: 'replaced' };
export const erased = faulty('erased', 'This recording was erased.');
export const revoked = faulty(
  'access_revoked',
  'The session of this recording was ended, or you no longer have access to the workspace. Acknowledged audio is kept.',
);

/** The recording was stopped, with the reason for the client. */
export function stopped(reason: StopReason): Ending {
  return { frame: { type: 'stopped', reason }, code: 1000 };
}

function faulty(code: string, message: string): Ending {
  return { frame: { type: 'error', code, message }, code: 4000 };
}

/** The ending for what was thrown. After each of them the recording can be resumed. */
export function endingFor(error: unknown): Ending {
  if (error instanceof LeaseLost) return replaced;
  if (error instanceof FrameFault) return faulty(error.code, error.message);
  const isStore = error instanceof StoreFault;
  const what = isStore ? 'The audio could not be stored.' : 'Something went wrong on our side.';
  const message = `${what} Connect again and send the chunks that were not acknowledged.`;
  return { ...faulty(isStore ? 'storage_unavailable' : 'internal_error', message), isOurs: true };
}
