import { hash } from 'node:crypto';
import type { z } from 'zod';
import { Failure } from './errors.ts';

/** The strong entity tag (RFC 9110 §8.8.3) of a resource: a hash of its representation, with its quotes. */
export function entityTag(json: string): string {
  return `"${hash('sha256', json, 'base64url').slice(0, 27)}"`;
}

/** The tags listed in an `If-Match` or `If-None-Match` header; `*` stays as it is. */
export function entityTags(header: string): string[] {
  return header
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** The tag of a resource: of its representation, as its output schema returns it. */
export function tagOf(schema: z.ZodType, resource: unknown): string {
  return entityTag(JSON.stringify(schema.parse(resource)));
}

/**
 * Compares `If-Match` with the current resource: call it inside the transaction of the write, with the row locked.
 * `schema` is the output schema, so that the tag is the one that a read returned.
 * @throws Failure 412 `precondition_failed` when none of the tags is current.
 */
export function requireMatch(ifMatch: readonly string[] | undefined, schema: z.ZodType, current: unknown): void {
  if (ifMatch === undefined || ifMatch.includes('*')) return;
  if (ifMatch.includes(tagOf(schema, current))) return;
  const message = 'The resource changed since you read it. Read it again and apply the change to its current state.';
  const errors = [{ param: 'If-Match', code: 'precondition_failed', message }];
  throw new Failure({ status: 412, code: 'resource_conflict', message, reason: 'precondition_failed', errors });
}
