import { Failure } from '../../domain/errors.ts';
import type { ByteRange } from '../../media/storage/store.ts';
import type { MediaLink } from './links.ts';

/** The audio of a recording: its key in the store, and its type. */
export interface StoredAudio {
  audio_key: string;
  audio_type: string;
}

/** A browser that is sent to a link shows the audio in a document of its own. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "media-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-same-origin',
].join('; ');

/** Headers of every answer with audio. The link is the credential: no cache may hold the answer longer than it. */
export function headersOf({ recordingId, expiresAt }: MediaLink, audio: StoredAudio, tag: string, now: Date) {
  const extension = audio.audio_key.split('.').at(-1);
  const maxAge = Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / 1000));
  return {
    ETag: tag,
    'Accept-Ranges': 'bytes',
    'Content-Disposition': `inline; filename="recording-${recordingId}.${extension}"`,
    'Cache-Control': `private, max-age=${maxAge}`,
    'Content-Security-Policy': contentSecurityPolicy,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

/** Whether a range may be served for what the client has (RFC 9110 §13.1.5); dates and weak tags never match. */
export const rangeApplies = (ifRange: string | undefined, tag: string) => ifRange === undefined || ifRange === tag;

/**
 * The range of `size` bytes in a `Range` header (RFC 9110 §14.1.2, §14.2): a range, `whole` when there is none to
 * honour (another unit, several ranges, bad syntax), or `unsatisfiable`.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const suffix = Math.min(Number(last), size);
    return suffix === 0 ? 'unsatisfiable' : { start: size - suffix, end: size - 1 };
  }
  const [start, end] = [Number(first), last === '' ? Number.POSITIVE_INFINITY : Number(last)];
  if (end < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}

/** 416 (RFC 9110 §15.5.17). */
export function unsatisfiable(size: number): Failure {
  const message = `The range lies beyond the ${size} bytes of this audio.`;
  const headers = { 'Content-Range': `bytes */${size}` };
  return new Failure({ status: 416, code: 'validation_failed', message, headers });
}
