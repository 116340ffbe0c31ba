/** A piece of what was said. Times are ms from the start of the recording. */
export interface Segment {
  startMs: number | null;
  endMs: number | null;
  speaker: string | null;
  text: string;
}
