import { joined } from '../../domain/captures/segments.ts';
import type { Segment } from '../../domain/media.ts';
import { spansIn, type VoiceSpan } from './cue-text.ts';
import { type Cue, readCues, type TimedFormat } from './cues.ts';
import { rolledLines } from './rolling.ts';
import { Floor, labellingOf, turnsIn } from './speakers.ts';

/** A cue with text. */
interface Spoken {
  cue: Cue;
  spans: VoiceSpan[];
}

/** The cues with text, by their start; those of files joined into one stay apart. */
function spokenCues(cues: readonly Cue[]): Spoken[] {
  const spoken = cues
    .map((cue) => ({ cue, spans: spansIn(cue.lines.join('\n')) }))
    .filter(({ spans }) => spans.length > 0);
  return spoken.sort((a, b) => a.cue.part - b.cue.part || a.cue.startMs - b.cue.startMs);
}

/** Takes out the lines that only repeat the cue before; a cue of nothing else lengthens that one. */
function unrolled(spoken: readonly Spoken[]): Spoken[] {
  const shown = spoken.map(({ cue, spans }) => ({
    startMs: cue.startMs,
    endMs: cue.endMs,
    lines: spans.flatMap((each) => each.lines),
    growing: cue.lines.some((line) => /<\d+:[\d:.]+>/.test(line)),
  }));
  const counts = rolledLines(shown);
  const remaining: Spoken[] = [];
  for (const [index, { cue, spans }] of spoken.entries()) {
    const rest = withoutFirst(spans, counts[index] ?? 0);
    const last = remaining.at(-1);
    if (rest.length > 0 || !last) remaining.push({ cue, spans: rest });
    else
      remaining[remaining.length - 1] = { ...last, cue: { ...last.cue, endMs: Math.max(last.cue.endMs, cue.endMs) } };
  }
  return remaining;
}

function withoutFirst(spans: readonly VoiceSpan[], count: number): VoiceSpan[] {
  if (count === 0) return [...spans];
  let left = count;
  const rest = spans.map(({ voice, lines }) => {
    const dropped = Math.min(left, lines.length);
    left -= dropped;
    return { voice, lines: lines.slice(dropped) };
  });
  return rest.filter(({ lines }) => lines.length > 0);
}

/** Webex names the speaker above the times: `12 "Alice Smith" (3456789)`. */
function namedAbove({ identifier }: Cue): string | null {
  return /^\d{1,9} "([^"]{1,200})" \(\d{1,20}\)$/.exec(identifier ?? '')?.[1] ?? null;
}

/**
 * The segments of WebVTT or SRT, by time. Speakers come from the voice tags (`<v Alice>`) where the file has any, else
 * by labels where it plausibly uses them.
 * @throws Failure 400 for times that cannot be read.
 */
export function readTimed(format: TimedFormat, lines: readonly string[], param: string): Segment[] {
  const cues = readCues(format, lines, param);
  const spoken = unrolled(spokenCues(cues));
  const isVoiced = spoken.some(
    ({ cue, spans }) => namedAbove(cue) !== null || spans.some(({ voice }) => voice !== null),
  );
  const labelling = labellingOf(isVoiced ? [] : spoken.map(({ spans }) => spans.flatMap((each) => each.lines)), 'cues');
  const segments: Segment[] = [];
  const floor = new Floor(labelling);
  for (const { cue, spans } of spoken) {
    for (const { voice, lines: shown } of spans) {
      for (const turn of turnsIn(shown, labelling)) {
        const speaker = voice ?? namedAbove(cue) ?? floor.speakerOf(turn);
        segments.push({ startMs: cue.startMs, endMs: cue.endMs, speaker, text: joined(turn.lines) });
      }
    }
  }
  return segments;
}
