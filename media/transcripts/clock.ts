/** `[hours:]minutes:seconds[.fraction]`; SRT writes the fraction after a comma. */
const shape = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?$/;

/** The milliseconds that a clock shows, such as `01:02:03.456` or `2:03`; undefined when it is not one. */
export function clockMs(text: string): number | undefined {
  const found = shape.exec(text);
  if (!found) return undefined;
  const [, hours = '0', minutes, seconds, fraction = ''] = found;
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** From when to when a cue is shown. */
export interface Timing {
  startMs: number;
  endMs: number;
}

export const arrow = '-->';

/**
 * The times of a cue (WebVTT §6.3, which SRT shares but for the comma); what follows the second, the settings of the
 * cue, is left out. Undefined when they cannot be read.
 */
export function timingOf(line: string): Timing | undefined {
  const at = line.indexOf(arrow);
  if (at < 0 || line.length > 10_000) return undefined;
  const startMs = clockMs(line.slice(0, at).trim());
  const endMs = startMs === undefined ? undefined : clockMs(/^\s*(\S*)/.exec(line.slice(at + arrow.length))?.[1] ?? '');
  return startMs === undefined || endMs === undefined ? undefined : { startMs, endMs };
}

/** Whether the text beside the arrow is meant as a time: digits and a colon. */
export function isTimeLike(line: string): boolean {
  const at = line.indexOf(arrow);
  const beside = `${line.slice(Math.max(0, at - 20), at)}|${line.slice(at + arrow.length, at + arrow.length + 20)}`;
  return /\d:|:\d/.test(beside);
}

/** Times with something else between them: a shorter, a longer or a typeset arrow. */
export function isOtherArrow(line: string): boolean {
  return /^\s{0,9}\d[\d:.,]{3,15}\s{0,9}(?:-{1,3} ?>|-->|[–—=]>|→|--&gt;)\s{0,9}\d[\d:.,]{3,15}(?!\S)/.test(
    line.slice(0, 100),
  );
}
