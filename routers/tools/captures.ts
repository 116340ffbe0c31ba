import { z } from 'zod';
import { listCaptures } from '../../domain/captures/list.ts';
import { placeOf } from '../../domain/captures/passages.ts';
import { getCapture } from '../../domain/captures/rows.ts';
import {
  Capture,
  type CaptureAnswer,
  CaptureListed,
  CaptureListing,
  CaptureUpdate,
  CaptureWritten,
  maxCaptureBody,
} from '../../domain/captures/shapes.ts';
import { updateCapture } from '../../domain/captures/update.ts';
import { invalid } from '../../domain/errors.ts';
import { Id } from '../../domain/fields.ts';
import { Clear, cleared } from './clearing.ts';
import { ToolLimit, textFrom, tool, toolProcedure } from './tool.ts';

const CaptureId = Id.describe('Id of the capture.');
const maxTags = 3;

/** A capture as a row of a list: the fields needed to choose among captures. */
const BriefCapture = CaptureListed.pick({
  object: true,
  id: true,
  type: true,
  status: true,
  title: true,
  subtitle: true,
  durationSeconds: true,
  recordedAt: true,
  createdAt: true,
  tags: true,
}).extend({ moreTags: z.int().nullable(), isArchived: z.literal(true).nullable() });

const parts = ['content', 'transcript', 'notes', 'summary'] as const;
type Part = (typeof parts)[number];

/** A capture for a model: without the link to its audio. */
const ShownCapture = Capture.omit({ mediaUrl: true });

/** Its facts and one of its texts, from `offset` on. */
function partOf(capture: CaptureAnswer, part: Part, offset: number): CaptureAnswer {
  const others = { content: null, transcript: null, notes: null, summary: null };
  return { ...capture, ...others, [part]: textFrom(capture[part], offset) };
}

/** @throws Failure 400 when no word of `find` occurs in the part from `offset` on. */
async function placeIn(capture: CaptureAnswer, part: Part, find: string, offset: number): Promise<number> {
  const place = await placeOf(capture[part] ?? '', find, offset);
  if (place !== undefined) return place;
  throw invalid('find', `None of these words occurs in ${part} from character ${offset} on. Try other words or parts.`);
}

const { shape } = CaptureListing;

const ChangeArguments = CaptureUpdate.extend({
  captureId: CaptureId,
  title: CaptureUpdate.shape.title.describe('Replaces it.'),
  tags: CaptureUpdate.shape.tags.describe('Replaces all tags: name those that stay too.'),
  clear: Clear(['title', 'content', 'notes']),
});

export const captureTools = {
  list_captures: toolProcedure
    .meta(
      tool('list_captures', {
        title: 'List captures',
        description:
          'Find recordings and notes: brief rows, newest first; query searches titles, transcripts, notes and summaries. get_capture shows the texts of one. Example, meetings on the budget: {"query":"budget","type":"recording"}.',
        scopes: ['captures:read'],
        readOnly: true,
        maxText: 120,
        rest: 'Call get_capture with the id of the row.',
      }),
    )
    .input(
      CaptureListing.omit({ include: true }).extend({
        limit: ToolLimit,
        query: shape.query.describe('Words, or parts of words, that all occur.'),
        tags: shape.tags.describe('Captures that have all of these.'),
        type: shape.type.describe('A recording has a transcript, a note has content.'),
      }),
    )
    .output(z.object({ data: z.array(BriefCapture), hasMore: z.boolean(), nextCursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const page = await listCaptures(ctx, input);
      const data = page.data.map(({ tags, isArchived, ...capture }) => ({
        ...capture,
        tags: tags.slice(0, maxTags),
        moreTags: tags.length > maxTags ? tags.length - maxTags : null,
        isArchived: isArchived || null,
      }));
      return { ...page, data };
    }),

  get_capture: toolProcedure
    .meta(
      tool('get_capture', {
        title: 'Get a capture',
        description:
          'Show one capture with the beginning of its texts; with part only one text, from offset on, or from the sentence that has the words of find. Example, what was said about the price: {"captureId":"…","part":"transcript","find":"price"}.',
        scopes: ['captures:read'],
        readOnly: true,
        rest: 'Call get_capture with part = the name of the text and offset = offset of this answer (0 without one) + the characters shown.',
      }),
    )
    .input(
      z.strictObject({
        captureId: CaptureId,
        part: z.enum(parts).optional().describe('Show this text only.'),
        offset: z.int().min(0).default(0).describe('With part: from this character on. Omitted: 0.'),
        find: shape.query.describe('With part: from the first sentence after offset that has most of these words.'),
      }),
    )
    .output(z.object({ capture: ShownCapture, offset: z.int().nullable() }))
    .query(async ({ ctx, input: { captureId, part, offset, find } }) => {
      const capture = await getCapture(ctx, { captureId });
      if (part === undefined && (offset > 0 || find !== undefined)) {
        const message = 'Name the text with part: content, transcript, notes or summary.';
        throw invalid('part', message, { allowedValues: parts });
      }
      if (part === undefined) return { capture, offset: null };
      const from = find === undefined ? offset : await placeIn(capture, part, find, offset);
      return { capture: partOf(capture, part, from), offset: from };
    }),

  update_capture: toolProcedure
    .meta(
      tool('update_capture', {
        title: 'Change a capture',
        description:
          'Change the given fields of a capture; omitted fields are unchanged, clear empties fields. A transcript cannot be changed: write corrections in notes. New content is summarised again. Returns the status without texts. Example: {"captureId":"…","tags":["planning","release"]}.',
        scopes: ['captures:write'],
        maxBody: maxCaptureBody,
      }),
    )
    .input(ChangeArguments)
    .output(z.object({ capture: CaptureWritten }))
    .mutation(async ({ ctx, input }) => ({ capture: await updateCapture(ctx, cleared(input)) })),

  start_capture: toolProcedure
    .meta(
      tool('start_capture', {
        title: 'Start a recording',
        description:
          'Get the link of the page on which a signed-in person starts a recording, and give it to them: you cannot record. Example: {}.',
        scopes: ['captures:write'],
        readOnly: true,
      }),
    )
    .input(z.strictObject({}))
    .output(z.object({ recordingPageUrl: z.string() }))
    .query(({ ctx }) => ({ recordingPageUrl: `${ctx.service.publicUrl}/record` })),
};
