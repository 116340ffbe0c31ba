import { actorId } from '../../api/acting.ts';

/** What a window needs to resume its recording after a reload. */
export interface StoredRecording {
  /** Who records. */
  userId: string | undefined;
  workspaceId: string;
  captureId: string;
  socketUrl: string;
  resumeToken: string;
  /** Recorded time so far. */
  elapsedMs: number;
}

/** shell/background.ts reads the names too. */
const keyOf = (userId = actorId()) => `tandem.draft.${userId}.recording`;

/** Stores it for this window, until the window is closed. */
export function storeRecording(recording: StoredRecording): void {
  try {
    sessionStorage.setItem(keyOf(recording.userId), JSON.stringify(recording));
  } catch {
    // Storage is disabled: the recording continues, but cannot be resumed after a reload.
  }
}

export function clearStoredRecording(userId?: string): void {
  try {
    sessionStorage.removeItem(keyOf(userId));
  } catch {}
}

/** That of the person of this window. */
export function storedRecording(): StoredRecording | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf()) ?? 'null') as StoredRecording | null;
  } catch {
    return null;
  }
}

const microphoneKey = 'tandem.microphone';

/** The last chosen microphone of this browser. */
export function chosenMicrophone(): string | null {
  try {
    return localStorage.getItem(microphoneKey);
  } catch {
    return null;
  }
}

/** Stores the chosen microphone for later visits. */
export function chooseMicrophone(deviceId: string): void {
  try {
    localStorage.setItem(microphoneKey, deviceId);
  } catch {
    // Storage is disabled: the choice is used until the next reload.
  }
}
