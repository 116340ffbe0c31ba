import { readTranscript, type TranscriptFormat } from '../../media/transcripts/index.ts';

/** The segments of a transcript, a line each: `start end | speaker | text`, with `-` for what is not known. */
export function segmentLines(format: TranscriptFormat, body: string): string[] {
  const segments = readTranscript(format, body, 'transcript.body');
  return segments.map((each) => `${each.startMs ?? '-'} ${each.endMs ?? '-'} | ${each.speaker ?? '-'} | ${each.text}`);
}

/** WebVTT whose cues last a second each, one of a text. */
export function cues(...texts: string[]): string {
  const clock = (second: number) => new Date(second * 1000).toISOString().slice(11, 23);
  return `WEBVTT\n\n${texts.map((text, at) => `${clock(at)} --> ${clock(at + 1)}\n${text}\n\n`).join('')}`;
}
