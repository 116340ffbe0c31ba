import type { RequestContext, StandbyRead } from '../../domain/context.ts';
import { mayLag, type Operation } from '../operations.ts';

/** What reads from a standby. */
export interface ReadableStandby {
  /** For the reads of a workspace, where the data is at most `maxAgeMs` old. */
  read(workspaceId: string, maxAgeMs: number): StandbyRead | undefined;
}

/** Directives by which a client wants an answer that is no older than it has to be. */
const fresh = ['no-cache', 'no-store', 'max-age', 'min-fresh'];

/**
 * The age in seconds that a client accepts of an answer (RFC 9111 §5.2.1.2). `max-stale` without a value accepts any. 0
 * without the directive, with another directive that contradicts it, and with a value that is not a number.
 */
export function acceptedAge(cacheControl: string | undefined): number {
  if (cacheControl === undefined) return 0;
  const ages: number[] = [];
  for (const directive of cacheControl.toLowerCase().split(',')) {
    const [name = '', value] = directive.trim().split('=', 2);
    if (fresh.includes(name)) return 0;
    if (name !== 'max-stale') continue;
    if (value === undefined) ages.push(Number.POSITIVE_INFINITY);
    else ages.push(Number(/^"?(\d{1,9})"?$/.exec(value)?.[1] ?? 0));
  }
  return ages.length === 0 ? 0 : Math.min(...ages);
}

/**
 * The standby that may answer a request; undefined if the client did not accept that, or the standby is too far behind.
 */
export function standbyFor(
  operation: Operation,
  cacheControl: string | undefined,
  input: Record<string, unknown>,
  { principal }: RequestContext,
  standby: ReadableStandby,
): StandbyRead | undefined {
  const seconds = acceptedAge(cacheControl);
  // A request that waits for a change is woken by a notification of the primary.
  if (seconds === 0 || !principal || !mayLag(operation) || input.waitSeconds) return undefined;
  return standby.read(principal.workspaceId, seconds * 1000);
}
