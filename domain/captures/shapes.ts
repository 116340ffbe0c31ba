import { z } from 'zod';
import { CursorText, Id, Instant, InstantInput, Limit, listOf, nonBlankText, text } from '../fields.ts';

const maxTitleLength = 300;
const maxContentLength = 500_000;
const maxNotesLength = 100_000;
const maxTranscriptLength = 4_000_000;
const maxQueryLength = 200;
const maxTags = 50;
const maxTagLength = 50;

const CaptureType = z.enum(['note', 'recording']);
const CaptureStatus = z.enum(['recording', 'processing', 'completed', 'failed']);

const CaptureFailure = z
  .object({
    object: z.literal('capture_failure'),
    code: z.enum([
      'no_audio',
      'connection_lost',
      'transcription_failed',
      'summary_failed',
      'insufficient_minutes',
      'internal_error',
    ]),
    message: z.string().meta({
      description: 'What happened and what to do, for a person.',
      examples: ['The transcription endpoint did not answer in three tries. Try again with retryCapture.'],
    }),
    occurredAt: Instant,
    retryable: z.boolean().describe('Whether retryCapture may help.'),
  })
  .meta({ id: 'CaptureFailure' });

const facts = {
  object: z.literal('capture'),
  id: Id,
  type: CaptureType,
  status: CaptureStatus.describe('A note is completed as soon as it is made.'),
  durationSeconds: z
    .int()
    .nullable()
    .meta({ description: 'Length of a recording, once it is known.', examples: [1845] }),
  recordingId: Id.nullable().describe('Names the audio of a recording; null for a note or an imported transcript.'),
  failure: CaptureFailure.nullable().describe('Set exactly when the status is `failed`.'),
  isArchived: z.boolean(),
  createdAt: Instant,
  updatedAt: Instant.describe('Updated by an edit, and when a transcript or summary is saved.'),
};

const description = {
  title: z
    .string()
    .nullable()
    .meta({
      description:
        'Set by a person, the heading or first line of a note, or written from the transcript of a recording.',
      examples: ['Planning of the spring release'],
    }),
  subtitle: z
    .string()
    .nullable()
    .meta({ description: 'One line.', examples: ['Ada and Grace agree on the date and on who tests'] }),
  summary: z
    .string()
    .nullable()
    .meta({ description: 'Markdown; null until processing finishes.', examples: ['- The release is on 3 March.'] }),
  tags: z.array(z.string()).meta({ examples: [['planning', 'release']] }),
  recordedAt: Instant.nullable().describe('When it was recorded, where that is known; null for a note.'),
};

/** As returned by writes: facts and status, without texts. */
export const CaptureWritten = z.object(facts).meta({ id: 'CaptureWritten' });

/** As in lists: without bodies. */
export const CaptureListed = z.object({ ...facts, ...description }).meta({ id: 'CaptureListed' });

export const Capture = z
  .object({
    ...facts,
    ...description,
    content: z.string().nullable().meta({ description: 'Text of a note; Markdown, kept as written.' }),
    transcript: z
      .string()
      .nullable()
      .meta({
        description:
          'Paragraphs separated by a blank line, each beginning with `Name: ` where the speaker is known. Null for notes, and until a recording is transcribed.',
        examples: ['Ada: Shall we ship on the third?\n\nGrace: Yes, if the tests pass.'],
      }),
    notes: z
      .string()
      .nullable()
      .meta({ description: 'Written beside the recording; also for corrections of the transcript.' }),
    mediaUrl: z
      .string()
      .nullable()
      .meta({
        description:
          'The audio, for 15 minutes: read the capture again, without `If-None-Match`, for a fresh link. Null where there is none, or not yet.',
        examples: ['https://tandem.example.com/media/AYc…'],
      }),
  })
  .meta({ id: 'Capture' });

export type CaptureListedAnswer = z.infer<typeof CaptureListed>;
export type CaptureAnswer = z.infer<typeof Capture>;

/** Bytes of a request about captures, whose texts are long (CONTRACT §1.7). */
export const maxCaptureBody = 4 * 2 ** 20;

export const CaptureTitle = nonBlankText(maxTitleLength);
const CaptureContent = text(maxContentLength);
export const CaptureNotes = text(maxNotesLength);

/** One tag as sent: 1 to 50 characters when trimmed, no comma, because lists are filtered by `a,b`. */
const Tag = z
  .string()
  .refine((value) => !value.includes(','), 'must not contain a comma')
  .refine(
    (value) => value.trim() !== '' && Array.from(value.trim()).length <= maxTagLength,
    `must be 1 to ${maxTagLength} characters long`,
  )
  .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), 'must be text without control characters')
  .meta({ minLength: 1, maxLength: maxTagLength, examples: ['planning'] });

/** The text of a new note. */
const NewContent = nonBlankText(maxContentLength).meta({
  description:
    'Markdown, kept as written. A leading heading of at most 300 characters becomes the title and leaves the text.',
  examples: ['# Planning of the spring release\n\nWe ship on 3 March if the tests pass.'],
});

/** Limited to years that are read back from the database as they were written. */
const RecordedAt = InstantInput.refine((value) => {
  const year = new Date(value).getUTCFullYear();
  return year >= 1900 && year < 2200;
}, 'must lie between the years 1900 and 2199').describe('When it was recorded.');

/** Tags as sent; trimmed and made unique ignoring case where they are stored. */
export const Tags = z
  .array(Tag)
  .max(maxTags, `must have at most ${maxTags} tags`)
  .describe('At most 50, unique ignoring case. The first spelling of a tag in the workspace is kept.');

const NoteCreateParams = z
  .strictObject({ type: z.literal('note'), content: NewContent, tags: Tags.optional() })
  .meta({ id: 'NoteCreateParams' });

const transcriptFormats = ['vtt', 'srt', 'text'] as const;

const TranscriptImportParams = z
  .strictObject({
    type: z.literal('recording'),
    transcript: z
      .strictObject({
        format: z.enum(transcriptFormats),
        body: nonBlankText(maxTranscriptLength).meta({
          description: 'The file as text.',
          examples: ['WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>Shall we ship on the third?'],
        }),
      })
      .describe('A transcript that another service finished.'),
    title: CaptureTitle.optional().describe('Omitted: written from the transcript.'),
    recordedAt: RecordedAt.optional(),
    tags: Tags.optional(),
  })
  .meta({ id: 'TranscriptImportParams' });

/** The body of createCapture: a note, or a recording whose transcript exists already. */
export const CaptureCreate = z
  .discriminatedUnion('type', [NoteCreateParams, TranscriptImportParams])
  .meta({ id: 'CaptureCreateParams' });

export type NewNote = z.infer<typeof NoteCreateParams>;
export type TranscriptImport = z.infer<typeof TranscriptImportParams>;

/** The fields of a change of a capture; omitted ones stay unchanged. */
export const CaptureUpdate = z.strictObject({
  title: CaptureTitle.nullable()
    .optional()
    .meta({
      description: 'Null removes it: the title of a note is then its first line.',
      examples: ['Planning of the spring release'],
    }),
  content: CaptureContent.nullable().optional().describe('Only of a note: replaces its text.'),
  notes: CaptureNotes.nullable().optional().describe('Replaces the notes; corrections of a transcript go here.'),
  tags: Tags.optional().describe('Replaces all tags.'),
});

export type CapturePatch = z.infer<typeof CaptureUpdate>;

export const CaptureListing = z.strictObject({
  limit: Limit,
  cursor: CursorText,
  query: nonBlankText(maxQueryLength)
    .optional()
    .describe('Words of titles, bodies and summaries; all of them must occur.'),
  tags: z
    .array(z.string().refine((value) => value.trim() !== '', 'must not be blank'))
    .max(maxTags)
    .optional()
    .describe('Comma-separated; a capture must have all of them. Case is ignored.'),
  type: CaptureType.optional().describe('Only recordings, imported ones too, or only notes.'),
  createdAfter: InstantInput.optional().describe('Exclusive.'),
  createdBefore: InstantInput.optional().describe('Exclusive.'),
  updatedSince: InstantInput.optional().describe('Changed at or after.'),
  includeArchived: z.boolean().default(false).describe('Also list archived ones.'),
  include: z.enum(['totalCount']).optional().describe('`totalCount` adds the number of all matches.'),
});

export type CaptureListingInput = z.infer<typeof CaptureListing>;

const totalCount = z
  .int()
  .nullable()
  .meta({ description: 'Rows over all pages; null without `include=totalCount`.', examples: [42] });

export const CapturePage = listOf(CaptureListed, 'CapturePage').extend({ totalCount }).meta({ id: 'CapturePage' });

export const CaptureTag = z
  .object({
    object: z.literal('tag'),
    name: z.string().meta({ examples: ['planning'] }),
    captureCount: z.int().meta({ description: 'Unarchived captures that have it.', examples: [3] }),
    lastUsedAt: Instant.describe('When it was last put on a capture.'),
  })
  .meta({ id: 'Tag' });
