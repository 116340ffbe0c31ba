import type { Shape } from '../model/catalogue.ts';
import { closest } from '../model/closest.ts';
import { type CliFailure, usage } from '../model/failure.ts';
import { readDay, readInstant } from './times.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID. */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/** Parses JSON; `shown` names the flag in the error. @throws CliFailure 2. */
export function readJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${shown} must be JSON: ${(error as Error).message}.`);
  }
}

function choiceFault(text: string, values: readonly unknown[], shown: string): CliFailure {
  const near = closest(text, values.map(String));
  const hint = near ? [`Did you mean ${near}?`] : [];
  return usage(`${shown} must be one of ${values.join(', ')}; it is “${text}”.`, ...hint);
}

function readNumber(text: string, { kind, minimum, maximum }: Shape, shown: string): number {
  const pattern = kind === 'integer' ? /^-?\d{1,15}$/ : /^-?\d+(\.\d+)?$/;
  if (!pattern.test(text))
    throw usage(`${shown} must be a ${kind === 'integer' ? 'whole ' : ''}number; it is “${text}”.`);
  const value = Number(text);
  if (minimum !== undefined && value < minimum) throw usage(`${shown} must be at least ${minimum}; it is ${text}.`);
  if (maximum !== undefined && value > maximum) throw usage(`${shown} must be at most ${maximum}; it is ${text}.`);
  return value;
}

function readText(text: string, { format, maxLength }: Shape, shown: string, now: Date): string {
  if (format === 'date') {
    const day = readDay(text, now);
    if (day === undefined) throw usage(`${shown} must be a date: 2026-03-01, today, tomorrow or +7d; it is “${text}”.`);
    return day;
  }
  if (format === 'date-time') {
    const instant = readInstant(text, now);
    const forms = '2026-03-01T09:00:00Z, “2026-03-01 09:00” (local), 2026-03-01, now, -24h or +30m';
    if (instant === undefined) throw usage(`${shown} must be a time: ${forms}; it is “${text}”.`);
    return instant;
  }
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) {
    throw usage(`${shown} must be at most ${maxLength} characters long; it has ${length}.`);
  }
  return text;
}

/**
 * Converts a text to a JSON value by the shape of its field. Ids are not checked, because a name may stand for one.
 * @throws CliFailure 2 naming the allowed values.
 */
export function readValue(text: string, shape: Shape, shown: string, now: Date): unknown {
  const { kind, values } = shape;
  if (kind === 'integer' || kind === 'number') return readNumber(text, shape, shown);
  if (kind === 'object' || kind === 'any') {
    const value = readJson(text, shown);
    if (kind === 'object' && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw usage(`${shown} must be a JSON object, such as {"every": "week"}.`);
    }
    return value;
  }
  if (kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw usage(`${shown} must be true or false; it is “${text}”.`);
  }
  if (values && !values.includes(text)) throw choiceFault(text, values, shown);
  return readText(text, shape, shown, now);
}
