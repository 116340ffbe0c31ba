import type { Segment } from '../../domain/media.ts';
import { cleanText } from '../../engine/providers/text.ts';
import type { RawSegment } from './raw-segment.ts';

/** One line without NUL and lone surrogates. */
const inOneLine = (text: string) => cleanText(text).replace(/\s+/g, ' ').trim();

/** What whisper.cpp writes for silence. */
const silence = /^[[(]\s*(blank_audio|silence)\s*[\])]$/i;

/** `1:02:03`, or `2:03` in the first hour. */
function clockOf(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/** A label without a name: `0`, `A`, `SPEAKER_01`, `spk_1`, `Speaker0`. */
const nameless = /^(?:(?:speaker|spk|s)[\s_-]*)?(?:\d{1,4}|[a-z])$/i;
const unknown = /^(?:|\?|unknown|none|null|(?:speaker|spk)[\s_-]*(?:\?|unknown)?)$/i;
const maxNameLength = 100;

/**
 * Labels for the speakers of one piece. A name stays as it is, for it means the same everywhere. Other labels are valid
 * within their piece alone (“A” of this piece need not be “A” of the next), so they are counted per piece, and from
 * the second piece on they include where it begins, so that two speakers are not taken for one.
 */
function labelsFrom(offsetMs: number): (raw: string | null) => string | null {
  const numbers = new Map<string, number>();
  const where = offsetMs === 0 ? '' : ` (from ${clockOf(offsetMs)})`;
  return (raw) => {
    const label = inOneLine(raw ?? '')
      .slice(0, maxNameLength)
      .toWellFormed();
    if (unknown.test(label)) return null;
    if (!nameless.test(label)) return label;
    const number = numbers.get(label) ?? numbers.size + 1;
    numbers.set(label, number);
    return `Speaker ${number}${where}`;
  };
}

const dayMs = 86_400_000;

/** The segments of the recording in the piece that begins at `offsetMs`, without silence. */
export function segmentsOf(segments: readonly RawSegment[], offsetMs: number): Segment[] {
  const labelOf = labelsFrom(offsetMs);
  const place = (seconds: number | null) =>
    seconds === null || seconds * 1000 > dayMs ? null : Math.round(seconds * 1000) + offsetMs;
  return segments.flatMap((each) => {
    const text = inOneLine(each.text);
    if (text === '' || silence.test(text)) return [];
    const startMs = place(each.start);
    const endMs = place(each.end);
    const ends = startMs === null || endMs === null ? endMs : Math.max(startMs, endMs);
    return [{ startMs, endMs: ends, speaker: labelOf(each.speaker), text }];
  });
}
