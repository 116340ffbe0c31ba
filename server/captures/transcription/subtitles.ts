import { readSeconds, type Said } from './said.ts';

const times = /^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)/;

/** Whether a text is subtitles, in SRT or WebVTT. */
export const looksLikeSubtitles = (text: string) =>
  /^WEBVTT\b/.test(text) || /^\d+[ \t]*\r?\n[\d:.,]+[ \t]*-->/.test(text);

/** The voice at the start of a cue: `<v Ann>` (WebVTT), `(speaker 0)` (whisper.cpp). */
function voiceOf(text: string): string | null {
  return (/^<v(?:\.[^\s>]*)?\s+([^>]+)>/.exec(text) ?? /^\((speaker [\w?]+)\)/i.exec(text))?.[1] ?? null;
}

/** WebVTT writes these as entities; in SRT nobody says them. */
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };

/** Reads SRT or WebVTT, whichever it is; what is no cue is left out. */
export function readSubtitles(text: string): Said[] {
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
    const speaker = voiceOf(cue);
    const bare = cue.replace(/^\(speaker [\w?]+\)/i, '').replace(/<\/?[a-z][^>]*>/gi, '');
    const said = bare.replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? '');
    return [{ start: readSeconds(start), end: readSeconds(end), speaker, text: said }];
  });
}
