import { z } from 'zod';
import { requireOneWay } from '../../domain/agents/changes.ts';

/** The argument with which a tool empties fields: in a strict mode null also means "left out". */
export function Clear<const Fields extends readonly [string, ...string[]]>(fields: Fields) {
  return z.array(z.enum(fields)).max(20).optional().describe('Fields to empty. Omitted fields are unchanged.');
}

/** The changes with null for each field to clear. @throws Failure 400 when a field is both given and cleared. */
export function cleared<Field extends string, Changes extends { clear?: Field[] | undefined }>(
  changes: Changes & Partial<Record<Field, unknown>>,
): Omit<Changes, 'clear'> {
  requireOneWay<Field>(changes);
  const { clear = [], ...given } = changes;
  return { ...given, ...Object.fromEntries(clear.map((field) => [field, null])) };
}
