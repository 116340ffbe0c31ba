import { z } from 'zod';
import { actorTypes, vias } from '../../db/schema/events.ts';
import { CursorText, Id, Instant } from '../fields.ts';
import { eventObjects, eventTypes } from './types.ts';

const EventActor = z
  .object({
    type: z.enum(actorTypes),
    id: Id.nullable().describe('The person or the agent; null for the service.'),
    name: z
      .string()
      .nullable()
      .describe('Their current name; null for the service, and for an actor that no longer exists.'),
    credentialId: Id.nullable().describe('The API key, session or connection of an app.'),
    via: z.enum(vias).describe('The interface over which the change was made.'),
  })
  .meta({ id: 'EventActor' });

const EventParents = z
  .object({
    todoId: Id.optional(),
    chatId: Id.optional(),
    todoListId: Id.optional(),
    agentId: Id.optional(),
    captureId: Id.optional(),
    parentTodoId: Id.optional(),
  })
  .meta({ id: 'EventParents' });

const EventData = z
  .object({
    object: z.string().meta({
      description: 'The kind of the resource, as in the `object` field of its answers.',
      examples: ['todo'],
    }),
    id: Id.describe('The id of the resource. The resource may have been erased since.'),
    parents: EventParents.describe('The resources that it belongs to.'),
    changedFields: z.array(z.string()).meta({
      description: 'The fields that changed, unless the type names the change.',
      examples: [['title', 'priority']],
    }),
    version: z
      .int()
      .nullable()
      .meta({
        description:
          'The `version` of a todo after this change: a copy with that version or a later one contains the change. Null for other resources, and of what was erased.',
        examples: [3],
      }),
  })
  .meta({ id: 'EventData' });

/** A change of one resource, with ids and names of fields alone (CONTRACT §9.2). */
export const Event = z
  .object({
    object: z.literal('event'),
    id: Id,
    type: z.string().meta({
      description:
        'What happened, as `<resource>.<past participle>`. Ignore types that you do not know: more may be added.',
      examples: ['todo.updated'],
    }),
    sequence: z.int().meta({
      description:
        'Its number in the log of the workspace, in the order of the commits. Numbers increase and may have gaps.',
      examples: [4711],
    }),
    occurredAt: Instant,
    workspaceId: Id,
    actor: EventActor,
    requestId: z.string().nullable().describe('The request that made the change: `X-Request-Id` of its response.'),
    data: EventData,
  })
  .meta({ id: 'Event' });

export type EventAnswer = z.infer<typeof Event>;

/** The end of the log of a workspace. */
export const EventPosition = z
  .object({
    object: z.literal('event_position'),
    sequence: z.int().meta({ description: 'The sequence of the last event; 0 before the first.', examples: [4711] }),
  })
  .meta({ id: 'EventPosition' });

export type EventPositionAnswer = z.infer<typeof EventPosition>;

/** A page of events. */
export const EventPage = z
  .object({
    object: z.literal('list'),
    data: z.array(Event),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` for the next page; null on the last one.'),
    nextSequence: z.int().meta({
      description: 'Every matching event up to this number has been returned: pass it as `afterSequence` to continue.',
      examples: [4711],
    }),
  })
  .meta({ id: 'EventPage' });

/** What a stream of events sends. */
export const StreamedEvent = z
  .discriminatedUnion('event', [
    z.object({
      event: z.literal('change'),
      id: z.int().meta({ description: 'The sequence of the event.', examples: [4711] }),
      data: Event,
    }),
    z.object({
      event: z.literal('position'),
      id: z.int().meta({ description: 'Every matching event up to this number was sent.', examples: [4711] }),
      data: EventPosition,
    }),
  ])
  .meta({ id: 'StreamedEvent' });

export type StreamedEventAnswer = z.infer<typeof StreamedEvent>;

export const maxEvents = 500;
const maxEventsWait = 25;

/** A number in the log; those of one workspace stay below what JSON carries exactly. */
const Sequence = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Which events of the log are wanted. */
export const EventFilter = z.strictObject({
  afterSequence: Sequence.optional(),
  types: z.array(z.enum(eventTypes)).min(1).max(200).optional().describe('Only events of these types.'),
  resources: z
    .array(z.enum(eventObjects))
    .min(1)
    .max(50)
    .optional()
    .describe('Only events on these kinds of resources.'),
  actorId: Id.optional().describe('Only events caused by this person or agent.'),
  resourceId: Id.optional().describe('Only events on the resource of this id.'),
});

export type EventFilterInput = z.infer<typeof EventFilter>;

/** The input of listEvents. */
export const EventListing = EventFilter.extend({
  afterSequence: Sequence.optional().describe(
    'Only events after this one: `Tandem-Sequence` of a snapshot, or `nextSequence` of a page. Omitted: from the oldest that is still stored.',
  ),
  limit: z.int().min(1).max(maxEvents).default(100).describe('Page size.'),
  cursor: CursorText,
  waitSeconds: z
    .int()
    .min(0)
    .max(maxEventsWait)
    .optional()
    .describe('Seconds to hold the request at most while no event matches.'),
});

export type EventListingInput = z.infer<typeof EventListing>;
