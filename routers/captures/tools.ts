import { z } from 'zod';
import { principalOf } from '../base.ts';
import { invalid } from '../errors.ts';
import { Id } from '../fields.ts';
import { ToolLimit, textFrom, tool, toolProcedure } from '../tool.ts';
import { listCaptures } from './list.ts';
import { placeOf } from './passages.ts';
import { findCapture } from './rows.ts';
import { Capture, type CaptureAnswer, CaptureListed, CaptureListing, CaptureUpdate, CaptureWritten } from './shapes.ts';
import { updateCapture } from './update.ts';

const captureId = Id.describe('Id of the capture.');
const mostTags = 3;

/** A capture as a row of a list: what one needs to choose among captures. */
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

/** A capture for a model, which cannot hear: without the link to its audio. */
const ShownCapture = Capture.omit({ mediaUrl: true });

/** Its facts and one of its texts from `offset` on, as it is asked for. */
function partOf(capture: CaptureAnswer, part: Part, offset: number): CaptureAnswer {
  const others = { content: null, transcript: null, notes: null, summary: null };
  return { ...capture, ...others, [part]: textFrom(capture[part], offset) };
}

/** @throws Failure 400 when the part is empty, or says nothing of it from `offset` on. */
function placeIn(capture: CaptureAnswer, part: Part, find: string, offset: number): number {
  const place = placeOf(capture[part] ?? '', find, offset);
  if (place !== undefined) return place;
  throw invalid('find', `Nothing in ${part} from character ${offset} on says any of this. Try other words or parts.`);
}

const { shape } = CaptureListing;

export const captureTools = {
  list_captures: toolProcedure
    .meta(
      tool('list_captures', {
        title: 'List captures',
        description:
          'Lists recordings and notes as brief rows, the newest first; query searches all that they say. get_capture shows one whole.',
        scopes: ['captures:read'],
        readOnly: true,
        longestText: 120,
        rest: 'Call get_capture with the id of the row.',
      }),
    )
    .input(
      CaptureListing.omit({ include: true }).extend({
        limit: ToolLimit,
        query: shape.query.describe('Words, or parts of words, that must all occur.'),
        tags: shape.tags.describe('It must carry all of them.'),
        type: shape.type.describe('A recording has a transcript, a note content.'),
      }),
    )
    .output(z.object({ data: z.array(BriefCapture), hasMore: z.boolean(), nextCursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const page = await listCaptures(ctx.db, principalOf(ctx).workspaceId, ctx.service.cursorKey, input);
      const data = page.data.map(({ tags, isArchived, ...capture }) => ({
        ...capture,
        tags: tags.slice(0, mostTags),
        moreTags: tags.length > mostTags ? tags.length - mostTags : null,
        isArchived: isArchived || null,
      }));
      return { ...page, data };
    }),

  get_capture: toolProcedure
    .meta(
      tool('get_capture', {
        title: 'Get a capture',
        description:
          'Shows a capture with the beginning of its texts. With part: one text, from offset on or from where it says the words of find.',
        scopes: ['captures:read'],
        readOnly: true,
        rest: 'Call get_capture with part = the name of the text and offset = offset of this answer (0 without one) + the characters shown.',
      }),
    )
    .input(
      z.strictObject({
        captureId,
        part: z.enum(parts).optional().describe('Show this text only.'),
        offset: z.int().min(0).default(0).describe('With part: from this character on.'),
        find: shape.query.describe(
          'With part: from the first sentence behind offset on that says most of these words.',
        ),
      }),
    )
    .output(z.object({ capture: ShownCapture, offset: z.int().nullable() }))
    .query(async ({ ctx, input: { captureId: id, part, offset, find } }) => {
      const { capture } = await findCapture(ctx.db, principalOf(ctx).workspaceId, id);
      if (part === undefined && (offset > 0 || find !== undefined)) {
        const message = 'Say with part which text is meant: content, transcript, notes or summary.';
        throw invalid('part', message, { allowedValues: parts });
      }
      if (part === undefined) return { capture, offset: null };
      const from = find === undefined ? offset : placeIn(capture, part, find, offset);
      return { capture: partOf(capture, part, from), offset: from };
    }),

  update_capture: toolProcedure
    .meta(
      tool('update_capture', {
        title: 'Change a capture',
        description:
          'Changes only the fields that are given; null clears one. The transcript cannot be changed: corrections go in notes. Answers how it stands, not what it says.',
        scopes: ['captures:write'],
      }),
    )
    .input(CaptureUpdate.extend({ captureId }))
    .output(z.object({ capture: CaptureWritten }))
    .mutation(async ({ ctx, input: { captureId: id, ...patch } }) => {
      const { capture } = await updateCapture(ctx, principalOf(ctx).workspaceId, id, patch);
      return { capture };
    }),

  start_capture: toolProcedure
    .meta(
      tool('start_capture', {
        title: 'Start a recording',
        description: 'Answers the link to the page where a signed-in person starts a recording: give it to them.',
        scopes: ['captures:write'],
        readOnly: true,
      }),
    )
    .input(z.strictObject({}))
    .output(z.object({ recordingPageUrl: z.string() }))
    .query(({ ctx }) => ({ recordingPageUrl: `${ctx.service.publicUrl}/record` })),
};
