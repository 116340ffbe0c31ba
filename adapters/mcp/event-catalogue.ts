import { z } from 'zod';
import type { Principal } from '../../domain/context.ts';
import { EventArguments, OccurrenceData } from '../../domain/events/occurrences.ts';
import { readableObjects } from '../../domain/events/read.ts';
import { type EventType, eventTypes, objectOf, readScopeOf } from '../../domain/events/types.ts';

type Json = Record<string, unknown>;

/** Types of events as `events/list` shows them. */
export interface ListedEventType {
  name: EventType;
  description: string;
  delivery: readonly string[];
  inputSchema: Json;
  payloadSchema: Json;
}

/** Types whose name does not say what happened. */
const described: Partial<Record<EventType, string>> = {
  'chat.status_changed': 'The status of a chat changed: its agent began, waits for a person, or ended.',
  'approval.requested': 'An agent asks for approval and waits until a person decides.',
  'todo_occurrence.missed': 'A planned time of a schedule passed, and nothing was done.',
  'schedule.failed': 'A schedule could not start its work.',
};

function describe(type: EventType): string {
  const [object = '', happened = ''] = type.split('.');
  const thing = object.replaceAll('_', ' ');
  return described[type] ?? `${/^[aeo]/.test(thing) ? 'An' : 'A'} ${thing} was ${happened}.`;
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io });
  return json;
}

const inputSchema = schemaOf(EventArguments, 'input');
const payloadSchema = schemaOf(OccurrenceData, 'output');
const delivery = ['poll', 'push', 'webhook'] as const;

/** The types that assistants can subscribe to: those on resources that a scope opens. */
export const listedTypes: readonly ListedEventType[] = eventTypes
  .filter((type) => readScopeOf(objectOf(type)) !== null)
  .map((name) => ({ name, description: describe(name), delivery, inputSchema, payloadSchema }));

/** The types whose events the principal may read. */
export function eventTypesFor(principal: Principal): ListedEventType[] {
  const readable = new Set(readableObjects(principal));
  return listedTypes.filter(({ name }) => readable.has(objectOf(name)));
}
