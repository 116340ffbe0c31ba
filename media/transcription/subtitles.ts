import { type RawSegment, readSeconds } from './raw-segment.ts';

const times = /^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)/;

/** Whether a text is subtitles, in SRT or WebVTT. */
export const looksLikeSubtitles = (text: string) =>
  /^WEBVTT\b/.test(text) || /^\d+[ \t]*\r?\n[\d:.,]+[ \t]*-->/.test(text);

/** The speaker at the start of a cue: `<v Ann>` (WebVTT), `(speaker 0)` (whisper.cpp). */
function speakerOf(text: string): string | null {
  return (/^<v(?:\.[^\s>]*)?\s+([^>]+)>/.exec(text) ?? /^\((speaker [\w?]+)\)/i.exec(text))?.[1] ?? null;
}

/** Entities of WebVTT; in speech they do not occur. */
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };

/** Reads SRT or WebVTT, whichever it is; what is no cue is left out. */
export function readSubtitles(text: string): RawSegment[] {
  const blocks = text.replace(/\r\n?/g, '\n').split(/\n[ \t]*\n/);
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => times.test(line));
    const [, start, end] = times.exec(lines[at] ?? '') ?? [];
    if (start === undefined) return [];
    const cue = lines
      .slice(at + 1)
      .join(' ')
      .trim();
    const speaker = speakerOf(cue);
    const bare = cue.replace(/^\(speaker [\w?]+\)/i, '').replace(/<\/?[a-z][^>]*>/gi, '');
    const text = bare.replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? '');
    return [{ start: readSeconds(start), end: readSeconds(end), speaker, text }];
  });
}
