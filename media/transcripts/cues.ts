import { invalid } from '../../domain/errors.ts';
import { shown } from '../../domain/field-errors.ts';
import { arrow, isOtherArrow, isTimeLike, type Timing, timingOf } from './clock.ts';

export type TimedFormat = 'vtt' | 'srt';

/** A cue as written: its text still has tags and character references. `part` counts the files joined into one. */
export interface Cue extends Timing {
  part: number;
  identifier: string | null;
  lines: string[];
}

interface Placed extends Timing {
  /** Index of the line. */
  at: number;
}

const isBlank = (line: string | undefined) => line === undefined || line === '' || !/\S/.test(line);
const examples = { vtt: '00:00:01.000 --> 00:00:04.000', srt: '00:00:01,000 --> 00:00:04,000' };

/**
 * The lines with times. As in WebVTT §6.1 one may come anywhere: it ends the text above it.
 * @throws Failure 400 for a line that is meant as one and cannot be read.
 */
function findTimings(format: TimedFormat, lines: readonly string[], param: string): Placed[] {
  const found: Placed[] = [];
  let inBlock = 0;
  let seen = false;
  let ignored = false;
  const fault = (at: number, message: string) => invalid(param, `Line ${at + 1}: ${message}`);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (isBlank(line)) {
      inBlock = 0;
      seen = false;
      ignored = false;
      continue;
    }
    inBlock += 1;
    ignored ||= format === 'vtt' && inBlock === 1 && (isComment(line) || isHeader(line));
    if (!line.includes(arrow)) {
      if (!isOtherArrow(line)) continue;
      throw fault(at, `“${shown(line)}” has no ${arrow} between its times. Write ${examples[format]}.`);
    }
    const timing = timingOf(line);
    if (timing) {
      if (timing.endMs < timing.startMs) {
        throw fault(at, `“${shown(line)}” ends before it starts. Put the earlier time first.`);
      }
      found.push({ ...timing, at });
      seen = true;
      ignored = false;
    } else if (!ignored && (isTimeLike(line) || (!seen && inBlock <= 2))) {
      throw fault(at, `the times “${shown(line)}” cannot be read. Write them as ${examples[format]}.`);
    }
  }
  return found;
}

function isComment(line: string): boolean {
  return /^NOTE(?:\s|$)/.test(line);
}

/** The header of a file within a file: several were joined, and the times may begin again. */
function isHeader(line: string): boolean {
  return /^\uFEFF?WEBVTT(?:\s|$)/.test(line);
}

const number = /^\s*\d{1,9}\s*$/;
const uuid = /^\s*[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\/\d+-\d+)?\s*$/i;

/**
 * Where the text above the times at `at` that belongs to them begins, not above `from`; `at` when there is none.
 * In WebVTT that is any line that begins its block; in SRT a number. A number that is expected counts without a blank
 * line above it, and with one below it too. It may occur twice.
 */
function identifierStart(
  format: TimedFormat,
  lines: readonly string[],
  from: number,
  at: number,
  expected: readonly number[],
) {
  const isNext = (line: string) => number.test(line) && expected.includes(Number(line));
  let last = at - 1;
  while (last >= from && isBlank(lines[last])) last -= 1;
  const line = last < from ? undefined : lines[last];
  if (line === undefined) return at;
  const begins = isBlank(lines[last - 1]);
  const apart = last < at - 1;
  const belongs = apart
    ? begins && (isNext(line) || (format === 'vtt' && uuid.test(line)))
    : isNext(line) || (begins && (format === 'vtt' || number.test(line)));
  if (!belongs) return at;
  while (number.test(line) && last > from && lines[last - 1]?.trim() === line.trim()) last -= 1;
  return last;
}

/**
 * The text below the times: `lines` from `from` to `to`. It continues after a blank line, though WebVTT ends it there,
 * so that no words are lost; comments, styles and regions (§4.1) are not text.
 */
function payload(format: TimedFormat, lines: readonly string[], from: number, to: number) {
  const text: string[] = [];
  let skips = false;
  let parts = 0;
  for (let at = from; at < to; at += 1) {
    const line = lines[at] as string;
    if (isBlank(line)) {
      skips = false;
      continue;
    }
    if (format === 'vtt' && at > from && isBlank(lines[at - 1])) {
      if (isHeader(line)) parts += 1;
      skips = isHeader(line) || isComment(line) || /^(?:STYLE|REGION)\s*$/.test(line);
    }
    if (!skips) text.push(line);
  }
  return { text, parts };
}

/**
 * The cues of a WebVTT file (W3C WebVTT §6.1) or of its SRT cousin, in the order of the file, with what real
 * exporters leave out or repeat: counters, blank lines. Text above the first cue is left out.
 * @throws Failure 400 that names the line.
 */
export function readCues(format: TimedFormat, lines: readonly string[], param: string): Cue[] {
  const timings = findTimings(format, lines, param);
  const cues: Cue[] = [];
  let part = 0;
  let expected: number[] = [];
  let start = identifierStart(format, lines, 0, timings[0]?.at ?? 0, expected);
  for (const [index, { at, startMs, endMs }] of timings.entries()) {
    const identifier = start < at ? (lines[start]?.trim() ?? null) : null;
    if (identifier !== null && number.test(identifier)) expected = [Number(identifier), Number(identifier) + 1];
    const next = timings[index + 1]?.at;
    start = next === undefined ? lines.length : identifierStart(format, lines, at + 1, next, expected);
    const { text, parts } = payload(format, lines, at + 1, start);
    cues.push({ part, identifier, startMs, endMs, lines: text });
    part += parts;
  }
  return cues;
}
