import { invalid } from '../domain/errors.ts';
import { shown } from '../domain/field-errors.ts';
import { invalidCursor } from '../domain/page.ts';

/** A field on the way from the root of an input to a value. */
interface Place {
  above: Place | null;
  step: string | number;
}

function pathOf(place: Place | null): string | null {
  const steps: string[] = [];
  for (let each = place; each; each = each.above) {
    steps.push(typeof each.step === 'number' ? `[${each.step}]` : `${each.above ? '.' : ''}${each.step}`);
  }
  return steps.length > 0 ? steps.reverse().join('') : null;
}

function faultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode without lone surrogates';
}

/** @throws Failure 400. */
function requireText(text: string, place: Place | null, what: string): void {
  const fault = faultOf(text);
  if (fault === undefined) return;
  const path = pathOf(place);
  if (path === 'cursor') throw invalidCursor();
  const param = path === null ? null : shown(path);
  throw invalid(param, `${param === null ? 'The input' : param}: ${what}${fault}`);
}

/**
 * Every text of an input, names of fields included, is one that PostgreSQL can store: no NUL, no lone surrogates. It is
 * checked before the schema, so that no field depends on a rule of its own. Nesting may be of any depth.
 * @throws Failure 400 with the path of the text, or of the object whose field has such a name.
 */
export function requireStorable(input: unknown): void {
  const pending: { value: unknown; place: Place | null }[] = [{ value: input, place: null }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, place: above } = next;
    if (typeof value === 'string') requireText(value, above, '');
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [name, field] of Object.entries(value)) {
      const place = { above, step: isList ? Number(name) : name };
      if (!isList) requireText(name, above, 'a name of a field ');
      if (typeof field === 'string') requireText(field, place, '');
      else if (typeof field === 'object' && field !== null) pending.push({ value: field, place });
    }
  }
}
