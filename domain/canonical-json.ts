import { createHash } from 'node:crypto';
import { invalid } from './errors.ts';

/** Levels of nesting of a body. */
const maxDepth = 64;

/** Canonical JSON: keys sorted, so that equal bodies have equal texts. @throws Failure 400 when it nests too deeply. */
export function canonical(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw invalid(null, `The body nests deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each, depth + 1)}`).join(',')}}`;
}

/**
 * SHA-256 of the canonical JSON of a value: equal for bodies that say the same. @throws Failure 400 when it nests too
 * deeply.
 */
export function fingerprintOf(value: unknown): Buffer {
  return createHash('sha256').update(canonical(value)).digest();
}
