/** What a window must know to go on with its recording after it was loaded again. */
export interface KeptRecording {
  workspaceId: string;
  captureId: string;
  socketUrl: string;
  resumeToken: string;
  /** How much was recorded. */
  elapsedMs: number;
}

const key = 'tandem.recording';

/** Keeps it for this window alone, until it is closed. */
export function keepRecording(recording: KeptRecording): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(recording));
  } catch {
    // A browser that keeps nothing: the recording goes on all the same.
  }
}

export function forgetRecording(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {}
}

export function keptRecording(): KeptRecording | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as KeptRecording | null;
  } catch {
    return null;
  }
}
