import { Refused } from '../../engine/providers/errors.ts';
import { readJson } from './json.ts';
import { type RawSegment, untimed } from './raw-segment.ts';
import type { ResponseFormat } from './settings.ts';
import { looksLikeSubtitles, readSubtitles } from './subtitles.ts';

/** A whole answer with status 200. */
export interface Answer {
  headers: Record<string, string>;
  body: string;
}

const inJson = (format: ResponseFormat | undefined) => /json/.test(format ?? 'json');

/**
 * The segments of an answer, whatever its format: providers answer in another format than they were asked for, and
 * under another type (whisper.cpp sends text as text/html). @throws Refused when it cannot be read.
 */
export function readAnswer({ headers, body: raw }: Answer, asked: ResponseFormat | undefined): RawSegment[] {
  const type = headers['content-type'] ?? '';
  const body = raw.replace(/^\uFEFF/, '').trim();
  const isText = /^text\/|^application\/x-subrip\b/i.test(type);
  if (/^<(!doctype|html|head|body|\?xml)\b/i.test(body) || (/html/i.test(type) && body.startsWith('<')))
    throw new Refused({ unreadable: 'page' });
  const isJson = /json/i.test(type);
  if (isJson || /^(\{|\[\s*\{|")/.test(body)) {
    try {
      return readJson(body);
    } catch (error) {
      if (error instanceof Refused) throw new Refused({ ...error.refusal, headers });
      // Plain text may begin with a quotation mark, but not with a brace.
      if (isJson || !body.startsWith('"')) throw new Refused({ unreadable: 'stream' });
    }
  }
  if (!isText && type !== '') throw new Refused({ unreadable: 'stream' });
  if (body === '') {
    if (!isText && inJson(asked)) throw new Refused({ unreadable: 'stream' });
    return [];
  }
  return looksLikeSubtitles(body) ? readSubtitles(body) : untimed(body);
}
