import type { RequestId } from '@modelcontextprotocol/server';
import { requireAccess } from '../../domain/access.ts';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { Failure } from '../../domain/errors.ts';
import {
  type Continuation,
  cursorAt,
  eventErrors,
  occurrenceOf,
  startOf,
  type WantedEvents,
} from '../../domain/events/occurrences.ts';
import { streamEvents } from '../../domain/events/stream.ts';

type Json = Record<string, unknown>;

/** The messages of one `events/stream`, as they are sent. */
export type OpenedStream = AsyncGenerator<string>;

/** The message of a JSON-RPC response or notification as a server-sent event. */
function frame(message: Json): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

/**
 * Whether the credential was revoked, its person was removed, or its person lacks a second factor that is required now.
 * A credential that merely expired does not count: its client returns with another one.
 */
async function isRevoked({ db, principal, clock }: AuthenticatedContext): Promise<boolean> {
  const { expiresAt } = principal;
  if (expiresAt !== null && Date.parse(expiresAt) <= clock().getTime()) return false;
  try {
    await requireAccess(db, principal);
    return false;
  } catch (error) {
    if (error instanceof Failure && [401, 403].includes(error.problem.status)) return true;
    throw error;
  }
}

/**
 * Opens the stream of a subscription: `active` first, then its events, and a heartbeat with the position after 15 s of
 * silence. It ends when the credential does, when the reader falls far behind, the client is gone or the process stops;
 * the client resumes at its cursor. @throws Failure 400 for a cursor that is not valid.
 */
export async function openStream(
  ctx: AuthenticatedContext,
  id: RequestId,
  wanted: WantedEvents,
  from: Continuation,
): Promise<OpenedStream> {
  const { workspaceId } = ctx.principal;
  const { start, truncated } = await startOf(ctx, workspaceId, from);
  const filter = { types: [wanted.name], ...wanted.arguments, afterSequence: start };
  const events = await streamEvents({ ...ctx, operation: 'events/stream' }, filter);
  const notify = (kind: string, params: Json) =>
    frame({
      method: `notifications/events/${kind}`,
      params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
    });

  async function* messages(): OpenedStream {
    let hasBegun = false;
    for await (const event of events) {
      const cursor = cursorAt(workspaceId, event.id);
      if (event.event === 'change') yield notify('event', { ...occurrenceOf(event.data), cursor });
      else if (hasBegun) yield notify('heartbeat', { cursor });
      else yield notify('active', { cursor, truncated });
      hasBegun = true;
    }
    if (ctx.signal.aborted) return;
    if (!ctx.closing.aborted && (await isRevoked(ctx))) {
      const error = { code: eventErrors.Forbidden, message: 'Forbidden', data: { reason: 'Access revoked' } };
      yield notify('terminated', { error });
    }
    yield frame({ id, result: { resultType: 'complete', _meta: {} } });
  }
  return messages();
}
