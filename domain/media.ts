/** One utterance of one speaker. Times are milliseconds from the start, null where the source gives none. */
export interface Segment {
  startMs: number | null;
  endMs: number | null;
  speaker: string | null;
  text: string;
}

/** Formats in which other programs export a finished transcript. */
export type TranscriptFormat = 'vtt' | 'srt' | 'text';

/** A transcript as another program exported it. */
export interface TranscriptFile {
  format: TranscriptFormat;
  body: string;
}

/** What is kept of a transcript that another program finished. */
export interface ReadTranscript {
  /** Paragraphs, as `transcriptText` writes them. */
  text: string;
  /** Seconds to its last time; null without times. */
  durationSeconds: number | null;
}

/** The audio of one capture. */
export interface AudioRef {
  workspaceId: string;
  captureId: string;
  recordingId: string;
}

/** What verbs use of the media room, which they cannot import. */
export interface Media {
  /** A link to the audio that expires by itself and opens nothing else. */
  urlFor(audio: AudioRef, now: Date): string;
  /**
   * Reads a transcript that another program finished; never empty. `param` is its path in the request, `workspaceId`
   * whose request it is. @throws Failure 400 when it cannot be read, 503 when too many wait to be read.
   */
  readTranscript(file: TranscriptFile, param: string, workspaceId: string): Promise<ReadTranscript>;
}
