import type { Context } from '../context.ts';
import type { ReasonOf } from '../error-reasons.ts';
import { Failure } from '../errors.ts';
import { type LogEnds, logEnds } from './read.ts';
import type { EventPositionAnswer } from './shapes.ts';

/** The end of the log, as its answer has it. */
export function positionAnswer(sequence: number): EventPositionAnswer {
  return { object: 'event_position', sequence };
}

/** The end of the log of the workspace now. */
export async function latestPosition({ db, principal }: Context): Promise<EventPositionAnswer> {
  return positionAnswer((await logEnds(db, principal.workspaceId)).latest);
}

type Reason = ReasonOf<'invalid_cursor'>;

function refused(param: string, reason: Reason, message: string, { latest, expired }: LogEnds): Failure {
  const errors = [{ param, code: 'invalid_cursor', message }];
  const ends = { oldestSequence: expired + 1, latestSequence: latest };
  return new Failure({ status: 400, code: 'invalid_cursor', message, errors, reason, ...ends });
}

/**
 * Checks that nothing after the position `after` was deleted, and that the log has come that far.
 * @throws Failure 400 `invalid_cursor`, `position_expired` or `position_unknown`.
 */
export function requireKept(after: number, ends: LogEnds, param: string): void {
  if (after < ends.expired) {
    const message =
      'Events after this position were already deleted. Read the resources that you need again, and continue from the Tandem-Sequence of those responses.';
    throw refused(param, 'position_expired', message, ends);
  }
  if (after > ends.latest) {
    const message =
      'The log of this workspace does not reach this position: it is from another workspace, or the database was restored. Read the resources that you need again, and continue from the Tandem-Sequence of those responses.';
    throw refused(param, 'position_unknown', message, ends);
  }
}
