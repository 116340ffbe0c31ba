import { ProblemError } from '../api/problem.ts';

/* Files that become captures: transcripts that another service finished, and recordings. */

/** For the file picker. */
export const acceptedFiles = '.vtt,.srt,.txt,audio/*';

export type Transcript = { format: 'vtt' | 'srt' | 'text'; body: string };

/** Of the request of createCapture, less what is around the text. */
const maxTranscriptBytes = 4 * 2 ** 20 - 4096;
const maxTranscriptLength = 4_000_000;
/** The whole file is decoded in the memory of the page. */
const maxAudioBytes = 256 * 2 ** 20;
const formats: Record<string, Transcript['format']> = { vtt: 'vtt', srt: 'srt', txt: 'text', text: 'text' };
const audioEndings = /^(?:mp3|m4a|aac|ogg|oga|opus|wav|flac|webm|weba|amr|3gp)$/;

/** An error with a sentence for the person, as the service returns them. */
export function importFault(message: string): ProblemError {
  return new ProblemError({ status: 400, code: 'validation_failed', message, retryable: false, errors: [] });
}

function endingOf(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/**
 * What a file becomes: by its ending, as systems give transcripts different types. @throws ProblemError for another
 * one.
 */
export function kindOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): 'transcript' | 'audio' {
  const ending = endingOf(name);
  const isTranscript = ending in formats || /^text\/(?:vtt|plain)\b/.test(type) || type === 'application/x-subrip';
  const isAudio = audioEndings.test(ending) || type.startsWith('audio/');
  if (!isTranscript && !isAudio)
    throw importFault('It is neither a transcript (.vtt, .srt, .txt) nor a recording, such as .m4a, .mp3 or .wav.');
  if (size === 0) throw importFault('The file is empty.');
  // Of UTF-16, two bytes are one in the request.
  if (isTranscript && size > 2 * maxTranscriptBytes) throw tooLong;
  if (!isTranscript && size > maxAudioBytes)
    throw importFault('The recording is larger than 256 MB. Cut it into parts, or import its transcript.');
  return isTranscript ? 'transcript' : 'audio';
}

const tooLong = importFault('The transcript is longer than 4 million characters or 4 MB. Cut it into parts.');

/** The text of a file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252, which older programs write. */
export function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The transcript in a file. @throws ProblemError when it is empty or too long. */
export async function transcriptIn(file: File): Promise<Transcript> {
  const body = decoded(new Uint8Array(await file.arrayBuffer()));
  if (body.trim() === '') throw importFault('The file is empty.');
  const isTooLong = [...body].length > maxTranscriptLength;
  if (isTooLong || new Blob([JSON.stringify(body)]).size > maxTranscriptBytes) throw tooLong;
  const isTimed = file.type === 'text/vtt' ? 'vtt' : file.type === 'application/x-subrip' ? 'srt' : 'text';
  return { format: formats[endingOf(file.name)] ?? isTimed, body };
}

/** The name of a file without its ending; null where nothing is left. Titles have at most 300 characters. */
export function titleOf(name: string): string | null {
  const title = name
    .replace(/\.[^.]+$/, '')
    .replace(/[\s_]+/g, ' ')
    .trim();
  return title === '' ? null : [...title].slice(0, 300).join('');
}
