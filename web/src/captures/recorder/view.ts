import type { LinkEnd, LinkState } from './link.ts';
import type { MicrophoneFault } from './microphone.ts';

/**
 * - `idle`: nothing is recorded.
 * - `asking`: the browser asks for the microphone. `starting`: the service is asked for a recording.
 * - `recording`, `paused`.
 * - `stopping`: nothing is recorded any more; what was is still being saved.
 * - `ended`: the recording is over, see `ending`.
 */
export type Phase = 'idle' | 'asking' | 'starting' | 'recording' | 'paused' | 'stopping' | 'ended';

/** Why it could not start or go on; it can be tried again. */
export type Trouble =
  | { kind: 'microphone'; fault: MicrophoneFault }
  /** It went away in the middle of a recording, which is paused. */
  | { kind: 'microphone_gone' }
  /** The service did not open a recording. */
  | { kind: 'refused'; error: unknown };

/** What the page shows of a recorder; replaced as a whole whenever anything of it changes. */
export interface RecorderView {
  phase: Phase;
  /** Where it records. */
  workspaceId: string | null;
  captureId: string | null;
  /** null before the service opened a recording. */
  link: LinkState | null;
  /** Milliseconds of audio that only this window has. */
  unsavedMs: number;
  /** The microphone in use. */
  deviceId: string | null;
  maxDurationSeconds: number | null;
  trouble: Trouble | null;
  ending: LinkEnd | null;
}

export const idle: RecorderView = {
  phase: 'idle',
  workspaceId: null,
  captureId: null,
  link: null,
  unsavedMs: 0,
  deviceId: null,
  maxDurationSeconds: null,
  trouble: null,
  ending: null,
};

/** Whether leaving the window now would lose audio or cut a recording short. */
export function isBusy({ phase }: RecorderView): boolean {
  return phase === 'recording' || phase === 'paused' || phase === 'stopping';
}

/** Audio under way when a recording ends that is too little to speak of, in ms. */
const trifleMs = 3_000;

/** Whether a recording ended without audio that this window still has. */
export function hasUnsaved({ phase, unsavedMs }: RecorderView): boolean {
  return phase === 'ended' && unsavedMs > trifleMs;
}
