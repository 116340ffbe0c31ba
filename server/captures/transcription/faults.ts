import type { Refusal } from '../../providers/refusal.ts';
import { final, operator, type Party, passing, tell, tellOf } from '../../providers/verdict.ts';
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

const transcriptionProvider: Party = {
  name: 'The transcription provider',
  settings: { key: 'TRANSCRIPTION_API_KEY', model: 'TRANSCRIPTION_MODEL', address: 'TRANSCRIPTION_BASE_URL' },
  tooLong,
  tooLongWords: /too (long|large|big)|longer than|size limit|maximum.{0,20}(content|file|audio|duration|clip)/i,
  special: ({ status, said }) => {
    if (!aboutTheRequest(status)) return undefined;
    if (transcriptionProvider.tooLongWords.test(said)) return tooLong;
    return aboutAudio.test(said) && notRead.test(said) ? unreadableAudio : undefined;
  },
};

/** The fault that a person is told of. `now` is in ms since 1970, for a `Retry-After` that is a date. */
export function faultOf(refusal: Refusal, now: number): TranscriptionFault {
  const told = tellOf(refusal, transcriptionProvider, now);
  return new TranscriptionFault(told.message, told);
}

/** The answer did not come in time. */
export function slowFault(seconds: number): TranscriptionFault {
  const slow = `The transcription provider gave no answer within ${seconds} s; if it stays so, ${operator} must lower TRANSCRIPTION_PIECE_MINUTES.`;
  const told = tell(passing(slow));
  return new TranscriptionFault(told.message, told);
}

/** Whether a refusal says that there is hardly any audio: less than a tenth of a second, for OpenAI. */
export function isTooShort({ status, kinds, said }: Refusal): boolean {
  if (!aboutTheRequest(status)) return false;
  return kinds.includes('audio_too_short') || (aboutAudio.test(said) && /\btoo short\b/i.test(said));
}
