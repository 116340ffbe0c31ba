/** Something that was said. Times in milliseconds from the beginning; null where they are not known. */
export interface Segment {
  startMs: number | null;
  endMs: number | null;
  speaker: string | null;
  text: string;
}
