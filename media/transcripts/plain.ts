import { hasVisibleText, joined } from '../../domain/captures/segments.ts';
import type { Segment } from '../../domain/media.ts';
import { type PlainLine, plainLines } from './plain-lines.ts';
import { Floor, type Labelling, labellingOf, turnsIn } from './speakers.ts';

/** Lines that belong together, under the speaker of a heading; `speaker` is undefined where there is none. */
interface Paragraph {
  startMs: number | null;
  endMs: number | null;
  speaker: string | null | undefined;
  lines: string[];
}

/** Otter's last line. */
const footer = /^Transcribed by https?:\/\/otter\.ai\/?$/i;

/** Paragraphs end at blank lines, headings and times; with `each`, with every line. */
function paragraphsOf(lines: readonly (PlainLine | null)[], each: boolean): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let speaker: string | null | undefined;
  let startMs: number | null = null;
  let open: Paragraph | undefined;
  for (const line of lines) {
    if (line === null || footer.test(line.text)) open = undefined;
    else if (line.heading !== undefined) {
      speaker = line.heading ?? (speaker === undefined ? undefined : null);
      startMs = line.startMs;
      open = undefined;
    } else {
      if (!open || each || line.startMs !== null) {
        open = { startMs: line.startMs ?? startMs, endMs: line.endMs, speaker, lines: [] };
        startMs = null;
        paragraphs.push(open);
      }
      open.lines.push(line.text);
    }
  }
  return paragraphs;
}

/** The paragraphs, parted at the labels that are speakers. */
function segmentsOf(paragraphs: readonly Paragraph[], labelling: Labelling): Segment[] {
  const segments: Segment[] = [];
  const floor = new Floor(labelling);
  for (const { startMs, endMs, speaker: named, lines } of paragraphs) {
    const turns = named === undefined ? turnsIn(lines, labelling) : [{ speaker: named, lines }];
    for (const [index, turn] of turns.entries()) {
      const text = joined(turn.lines);
      const speaker = named === undefined ? floor.speakerOf(turn) : named;
      const times = index === 0 ? { startMs, endMs } : { startMs: null, endMs: null };
      if (hasVisibleText(text)) segments.push({ ...times, speaker, text });
    }
  }
  return segments;
}

/**
 * The segments of a transcript without a format of its own: paragraphs or lines, with speakers where headings
 * (`Alice Smith  0:01`) or labels (`Alice Smith: text`) plausibly name them. Times are read where lines carry them;
 * where a turn ends is not known.
 */
export function readPlain(lines: readonly string[]): Segment[] {
  const read = plainLines(lines);
  const first = read.findIndex((line) => line !== null);
  const last = read.findLastIndex((line) => line !== null);
  const blank = read.indexOf(null, first);
  const isSpaced = blank >= 0 && blank < last;
  const paragraphs = paragraphsOf(read, false);
  const labelling = labellingOf(
    (isSpaced ? paragraphs : paragraphsOf(read, true))
      .filter(({ speaker }) => speaker === undefined)
      .map((each) => each.lines),
    'text',
  );
  return segmentsOf(isSpaced || labelling.known.size > 0 ? paragraphs : paragraphsOf(read, true), labelling);
}
