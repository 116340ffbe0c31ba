import { z } from 'zod';
import { listEvents } from '../domain/events/list.ts';
import { latestPosition } from '../domain/events/positions.ts';
import {
  EventFilter,
  EventListing,
  EventPage,
  EventPosition,
  StreamedEvent,
  type StreamedEventAnswer,
} from '../domain/events/shapes.ts';
import { streamEvents } from '../domain/events/stream.ts';
import { op, procedure, router, streamOf } from './base.ts';

export const events = router({
  list: procedure
    .meta(
      op('GET /events', {
        id: 'listEvents',
        access: 'reader',
        summary: 'List what changed',
        description:
          'Lists the events of the workspace, the oldest first, in the order in which the changes were committed: a reader that has received an event never receives a new one with a lower number. Only events on resources that the credential may read are listed, so `sequence` may have gaps. To follow the log, continue with `nextSequence` as `afterSequence`, and with `waitSeconds` so that the request is held until there is a new event. Events are kept for a limited time (30 days unless the service is set up otherwise), those on members, credentials, agents, skills and approvals longer. If events after the position were already deleted, the request is refused with `invalid_cursor` and the reason `position_expired`: read the resources that you need again, and continue from the `Tandem-Sequence` of those answers.',
      }),
    )
    .input(EventListing)
    .output(EventPage)
    .query(({ ctx, input }) => listEvents(ctx, input)),

  latest: procedure
    .meta(
      op('GET /events/latest', {
        id: 'getLatestEventPosition',
        access: 'reader',
        summary: 'Get the end of the log',
        description:
          'Returns the position of the last event of the workspace. Use it as `afterSequence` of listEvents or streamEvents to follow only events from now on. To follow a list without missing a change, use the `Tandem-Sequence` of that list instead.',
      }),
    )
    .input(z.strictObject({}))
    .output(EventPosition)
    .query(({ ctx }) => latestPosition(ctx)),

  stream: procedure
    .meta(
      op('GET /events/stream', {
        id: 'streamEvents',
        access: 'reader',
        summary: 'Follow what changes as it happens',
        description:
          'Server-sent events: a `position` at first, then a `change` for every event after `afterSequence` in order, with its sequence as `id`. A broken stream is resumed with `Last-Event-ID`, without loss or repetition. After 15 seconds without an event a `position` is sent again: every event up to it was sent. The stream does not end by itself; the service closes it within a second after the credential ends, and when the reader is far behind; in the second case, resume. A position that the log no longer reaches is refused as by listEvents.',
        stream: { event: StreamedEvent, resume: 'afterSequence' },
      }),
    )
    .input(
      EventFilter.extend({
        afterSequence: EventFilter.shape.afterSequence.describe('Only events after this one. Omitted: from now on.'),
      }),
    )
    .output(streamOf<StreamedEventAnswer>())
    .query(({ ctx, input }) => streamEvents(ctx, input)),
});
