import { z } from 'zod';
import { Id, Instant } from '../fields.ts';
import { CaptureTitle, Tags } from './shapes.ts';

const maxLanguageLength = 35;

function isLanguage(value: string): boolean {
  try {
    return value.length <= maxLanguageLength && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** A language by its BCP 47 tag (RFC 5646). */
const Language = z
  .string()
  .refine(isLanguage, 'must be a BCP 47 language tag such as en or pt-BR')
  .meta({ description: 'The language that is spoken, as a BCP 47 tag.', examples: ['de-CH'] });

export const RecordingStartParams = z
  .strictObject({
    title: CaptureTitle.optional().describe('Omitted: written from the transcript.'),
    tags: Tags.optional(),
    language: Language.optional(),
  })
  .meta({ id: 'RecordingStartParams' });

export type NewRecording = z.infer<typeof RecordingStartParams>;

export const RecordingSession = z
  .object({
    object: z.literal('recording_session'),
    id: Id.describe('The id of the recording: a recording has one session.'),
    captureId: Id,
    recordingId: Id,
    socketUrl: z.string().meta({
      description: 'WebSocket that takes the audio; docs/recording.md describes its frames.',
      examples: ['wss://tandem.example.com/recordings'],
    }),
    token: z.string().meta({
      description: 'Opens the socket once, as its subprotocol `tandem.<token>`.',
      examples: ['kZ0vJ2T8…'],
    }),
    expiresAt: Instant.describe('Until when the token opens the socket: five minutes.'),
    maxDurationSeconds: z.int().meta({ description: 'A longer recording is stopped.', examples: [14400] }),
  })
  .meta({ id: 'RecordingSession' });

export type RecordingSessionAnswer = z.infer<typeof RecordingSession>;
