/** The audio of one capture. */
export interface AudioRef {
  workspaceId: string;
  captureId: string;
  recordingId: string;
}

/** Makes links to audio that end by themselves and open nothing else. */
export interface Media {
  urlFor(audio: AudioRef, now: Date): string;
}
