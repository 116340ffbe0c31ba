import type { Refusal } from '../../engine/providers/errors.ts';
import {
  fieldsForRefusal,
  fieldsOf,
  final,
  operator,
  type ProviderKind,
  passing,
} from '../../engine/providers/verdict.ts';
import { TranscriptionFault } from './transcriber.ts';

const tooLong = final(
  `The pieces of the recording are too long for the transcription provider: ${operator} must lower TRANSCRIPTION_PIECE_MINUTES.`,
);
const unreadableAudio = final(
  `The transcription provider could not read the audio: ${operator} must use one that takes WebM (Opus) and WAV files.`,
);

const aboutAudio = /\b(audio|wav|file|media|ffmpeg)\b/i;
const notRead = /\b(read|decod\w*|corrupt\w*|(un|not )supported|invalid|(un)?recogni[sz]ed|format|convert|ffmpeg)\b/i;

/** Whether a status is about what was sent; whisper.cpp refuses it with status 200. */
const aboutTheRequest = (status: number | undefined) => status === undefined || [400, 415, 422].includes(status);

const transcriptionProvider: ProviderKind = {
  name: 'The transcription provider',
  settings: { key: 'TRANSCRIPTION_API_KEY', model: 'TRANSCRIPTION_MODEL', address: 'TRANSCRIPTION_BASE_URL' },
  tooLong,
  tooLongWords: /too (long|large|big)|longer than|size limit|maximum.{0,20}(content|file|audio|duration|clip)/i,
  special: ({ status, text }) => {
    if (!aboutTheRequest(status)) return undefined;
    if (transcriptionProvider.tooLongWords.test(text)) return tooLong;
    return aboutAudio.test(text) && notRead.test(text) ? unreadableAudio : undefined;
  },
};

/** The fault as a person sees it. `now` is in ms since 1970, for a `Retry-After` that is a date. */
export function faultOf(refusal: Refusal, now: number): TranscriptionFault {
  const fields = fieldsForRefusal(refusal, transcriptionProvider, now);
  return new TranscriptionFault(fields.message, fields);
}

/** The answer did not come in time. */
export function slowFault(seconds: number): TranscriptionFault {
  const slow = `The transcription provider gave no answer within ${seconds} s; if it stays so, ${operator} must lower TRANSCRIPTION_PIECE_MINUTES.`;
  const fields = fieldsOf(passing(slow));
  return new TranscriptionFault(fields.message, fields);
}

/** Whether a refusal is for too little audio: less than a tenth of a second, for OpenAI. */
export function isTooShort({ status, kinds, text }: Refusal): boolean {
  if (!aboutTheRequest(status)) return false;
  return kinds.includes('audio_too_short') || (aboutAudio.test(text) && /\btoo short\b/i.test(text));
}
