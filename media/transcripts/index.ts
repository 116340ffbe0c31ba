import { invalid } from '../../domain/errors.ts';
import { shown } from '../../domain/field-errors.ts';
import type { Segment } from '../../domain/media.ts';
import { timingOf } from './clock.ts';
import { readPlain } from './plain.ts';
import { readTimed } from './timed.ts';

/** What a finished transcript is written in: WebVTT, SRT, or plain text. */
export type TranscriptFormat = 'vtt' | 'srt' | 'text';

const documents: [start: RegExp, name: string][] = [
  [/^%PDF-/, 'a PDF'],
  [/^\{\\rtf/, 'an RTF document'],
  [/^PK\p{Cc}{2}/u, 'a ZIP archive, as Word documents are'],
  [/^\s{0,99}<(?:!doctype html|html)[\s>]/i, 'an HTML page'],
];

/** Refuses what was never text: known documents, and bodies with control characters or failed decoding in them. */
function requireText(body: string, param: string): void {
  const name = documents.find(([start]) => start.test(body))?.[1];
  if (name) throw invalid(param, `This is ${name}. Export the transcript as WebVTT, SRT or plain text and pass that.`);
  let odd = 0;
  for (let at = 0; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code < 9 || (code > 13 && code < 32) || code === 127 || code === 0xfffd) odd += 1;
  }
  if (odd * 20 <= body.length && (odd <= 20 || odd * 100 <= body.length)) return;
  const what = 'it is a binary file or in another encoding than UTF-8';
  throw invalid(param, `This does not read as text: ${what}. Save the transcript as UTF-8 text and pass that.`);
}

/** More than the captions of a whole day have. */
const maxLines = 250_000;

/** The lines of the body, with spaces for the control characters in them. */
function linesOf(body: string, param: string): string[] {
  let count = 1;
  for (let at = body.indexOf('\n'); at >= 0; at = body.indexOf('\n', at + 1)) count += 1;
  if (count <= maxLines) return body.replace(/[^\P{Cc}\n\t]/gu, ' ').split('\n');
  throw invalid(
    param,
    `The transcript has ${count} lines, and at most ${maxLines} are read. Pass it in several parts.`,
  );
}

/** Whether it begins as WebVTT must (W3C WebVTT §4.1); blank lines above are let pass. */
const isVtt = (body: string) => /^\s*WEBVTT(?:\s|$)/.test(body);

/** Whether one of the first non-blank lines has the times of a cue, and how they are written. */
function firstTimes(lines: readonly string[]): 'comma' | 'dot' | undefined {
  let left = 3;
  for (const line of lines) {
    if (line.trim() === '') continue;
    if (timingOf(line)) return line.includes(',') ? 'comma' : 'dot';
    left -= 1;
    if (left === 0) return undefined;
  }
  return undefined;
}

/** Refuses a body that is not in the format `format`. */
function requireFormat(format: TranscriptFormat, body: string, lines: readonly string[], param: string): void {
  if (format !== 'vtt' && isVtt(body)) {
    throw invalid(param, 'Line 1: this is WebVTT, it begins with WEBVTT. Pass it with the format “vtt”.');
  }
  const times = firstTimes(lines);
  if (format === 'text' && times) {
    throw invalid(param, 'This is SRT: it begins with the times of a cue. Pass it with the format “srt”.');
  }
  if (format !== 'vtt' || isVtt(body)) return;
  const first = shown(lines[0] ?? '');
  throw invalid(
    param,
    times === 'comma'
      ? 'Line 1: this is SRT: it has no line WEBVTT, and commas in its times. Pass it with the format “srt”.'
      : `Line 1: WebVTT begins with the line WEBVTT, not “${first}”. Add it with a blank line below it, or pass ${times ? 'the format “srt”' : 'a transcript without times with the format “text”'}.`,
  );
}

/**
 * Reads a transcript that another program finished, as Zoom, Teams, Meet, Otter, YouTube and Whisper write them.
 * `body` is well-formed Unicode; `param` is its path in the request. Never empty; takes time linear in the body.
 * @throws Failure 400 that names the line at fault where one is: another format than `format`, times that cannot be
 * read, or no text.
 */
export function readTranscript(format: TranscriptFormat, body: string, param: string): Segment[] {
  const text = body.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  requireText(text, param);
  const lines = linesOf(text, param);
  requireFormat(format, text, lines, param);
  const segments = format === 'text' ? readPlain(lines) : readTimed(format, lines, param);
  if (segments.length > 0) return segments;
  if (format === 'text')
    throw invalid(param, 'The transcript says nothing: there is no word in it. Pass what was said.');
  if (lines.some((line) => timingOf(line))) {
    throw invalid(param, 'No cue of the transcript has any text, apart from tags. Export it again with what was said.');
  }
  const example = format === 'vtt' ? '00:00:01.000 --> 00:00:04.000' : '00:00:01,000 --> 00:00:04,000';
  throw invalid(
    param,
    `There is no cue: no line has times such as ${example}. Pass a transcript without times with the format “text”.`,
  );
}
