import { type Said, saidIn } from './cue-text.ts';
import { type Cue, readCues, type TimedFormat } from './cues.ts';
import { joined } from './joining.ts';
import { rolledLines } from './rolling.ts';
import type { Segment } from './segments.ts';
import { Floor, labellingOf, turnsIn } from './speakers.ts';

/** A cue that says something. */
interface Spoken {
  cue: Cue;
  said: Said[];
}

/** The cues that say something, by their start; those of files joined into one stay apart. */
function spokenCues(cues: readonly Cue[]): Spoken[] {
  const spoken = cues.map((cue) => ({ cue, said: saidIn(cue.lines.join('\n')) })).filter(({ said }) => said.length > 0);
  return spoken.sort((a, b) => a.cue.part - b.cue.part || a.cue.startMs - b.cue.startMs);
}

/** Takes out the lines that only repeat the cue before; a cue of nothing else lengthens that one. */
function unrolled(spoken: readonly Spoken[]): Spoken[] {
  const shown = spoken.map(({ cue, said }) => ({
    startMs: cue.startMs,
    endMs: cue.endMs,
    lines: said.flatMap((each) => each.lines),
    growing: cue.lines.some((line) => /<\d+:[\d:.]+>/.test(line)),
  }));
  const counts = rolledLines(shown);
  const kept: Spoken[] = [];
  for (const [index, { cue, said }] of spoken.entries()) {
    const rest = withoutFirst(said, counts[index] ?? 0);
    const last = kept.at(-1);
    if (rest.length > 0 || !last) kept.push({ cue, said: rest });
    else kept[kept.length - 1] = { ...last, cue: { ...last.cue, endMs: Math.max(last.cue.endMs, cue.endMs) } };
  }
  return kept;
}

function withoutFirst(said: readonly Said[], count: number): Said[] {
  if (count === 0) return [...said];
  let left = count;
  const rest = said.map(({ voice, lines }) => {
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
 * The segments of WebVTT or SRT, by time. Who speaks is told by the voices (`<v Alice>`) where the file has any, else
 * by labels where it plausibly uses them.
 * @throws Failure 400 for times that cannot be read.
 */
export function readTimed(format: TimedFormat, lines: readonly string[], param: string): Segment[] {
  const cues = readCues(format, lines, param);
  const spoken = unrolled(spokenCues(cues));
  const hasVoices = spoken.some(
    ({ cue, said }) => namedAbove(cue) !== null || said.some(({ voice }) => voice !== null),
  );
  const labelling = labellingOf(hasVoices ? [] : spoken.map(({ said }) => said.flatMap((each) => each.lines)), 'cues');
  const segments: Segment[] = [];
  const floor = new Floor(labelling);
  for (const { cue, said } of spoken) {
    for (const { voice, lines: shown } of said) {
      for (const turn of turnsIn(shown, labelling)) {
        const speaker = voice ?? namedAbove(cue) ?? floor.speakerOf(turn);
        segments.push({ startMs: cue.startMs, endMs: cue.endMs, speaker, text: joined(turn.lines) });
      }
    }
  }
  return segments;
}
