/** A segment as the provider wrote it. Times are seconds from the start of its piece. */
export interface RawSegment {
  start: number | null;
  end: number | null;
  /** The provider's label of the speaker, of any form. */
  speaker: string | null;
  text: string;
}

/** Text without times and speakers, as one segment of the piece. */
export const untimed = (text: string): RawSegment[] => [{ start: 0, end: null, speaker: null, text }];

/** `12.5`, `"12.5"`, `"0:12,5"` or `"00:00:12.500"` as seconds; below nothing is the start. */
export function readSeconds(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.max(0, value) : null;
  if (typeof value !== 'string') return null;
  const [, hours = 0, minutes = 0, seconds] =
    /^\s*(?:(?:(\d{1,6}):)?(\d{1,6}):)?(-?\d{1,20}(?:[.,]\d{1,20})?)s?\s*$/.exec(value) ?? [];
  if (seconds === undefined) return null;
  return Math.max(0, Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.')));
}
