import type { LinkEnd, LinkState } from './link.ts';
import type { MicrophoneFault } from './microphone.ts';

/**
 * - `idle`: not recording.
 * - `asking`: waiting for the browser's microphone permission. `starting`: waiting for startRecording.
 * - `recording`, `paused`.
 * - `stopping`: the microphone is closed, and the remaining audio is being sent.
 * - `ended`: the recording has ended, see `ending`.
 */
export type Phase = 'idle' | 'asking' | 'starting' | 'recording' | 'paused' | 'stopping' | 'ended';

/** Why recording could not start or resume; it can be retried. */
export type RecorderFailure =
  | { kind: 'microphone'; fault: MicrophoneFault }
  /** The microphone was lost during a recording, which is now paused. */
  | { kind: 'microphone_gone' }
  /** The service did not open a recording. */
  | { kind: 'refused'; error: unknown };

/** State of a recorder; a new object after every change. */
export interface RecorderView {
  phase: Phase;
  /** Workspace of the recording. */
  workspaceId: string | null;
  captureId: string | null;
  /** null before the service opened a recording. */
  link: LinkState | null;
  /** Milliseconds of audio that are not acknowledged. */
  unsavedMs: number;
  /** The microphone in use. */
  deviceId: string | null;
  maxDurationSeconds: number | null;
  failure: RecorderFailure | null;
  ending: LinkEnd | null;
}

/** The initial state. */
export const idle: RecorderView = {
  phase: 'idle',
  workspaceId: null,
  captureId: null,
  link: null,
  unsavedMs: 0,
  deviceId: null,
  maxDurationSeconds: null,
  failure: null,
  ending: null,
};

/** Whether leaving the window now would lose audio or cut a recording short. */
export function isBusy({ phase }: RecorderView): boolean {
  return phase === 'recording' || phase === 'paused' || phase === 'stopping';
}

/** Unacknowledged audio at the end of a recording that is ignored. */
const negligibleMs = 3_000;

/** Whether a recording ended before all of its audio was saved. */
export function hasUnsaved({ phase, unsavedMs }: RecorderView): boolean {
  return phase === 'ended' && unsavedMs > negligibleMs;
}
