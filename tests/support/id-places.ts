import { z } from 'zod';

type Schema = z.core.JSONSchema.BaseSchema;

/** What the ids at these names are of, where the name of a path parameter does not say it: by the end of the place. */
const kinds: Record<string, readonly string[]> = {
  id: ['todoId'],
  ids: ['todoId'],
  parentTodoId: ['todoId'],
  after: ['todoId'],
  before: ['todoId'],
  'assignees.id': ['userId', 'agentId'],
  assigneeId: ['userId', 'agentId'],
  mentions: ['userId'],
  labelIds: ['labelId'],
  addLabelIds: ['labelId'],
  removeLabelIds: ['labelId'],
  captureIds: ['captureId'],
  afterViewId: ['viewId'],
  upTo: ['notificationId'],
  subjectId: ['approvalId'],
  actorId: ['userId', 'agentId'],
  resourceId: ['todoId', 'chatId', 'apiKeyId'],
  // Of a device, not of the service.
  'credential.id': [],
  'credential.rawId': [],
};

/** The fields of a place in an input, such as `assignees.0.id`: the first item stands for all of a list. */
function namesOf(place: string): string[] {
  return place.split('.').filter((name) => name !== '0');
}

/** Every place of an input that takes an id, at any depth. */
export function idPlaces(input: z.ZodType): string[] {
  const root: Schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const found = new Set<string>();
  const walk = (schema: Schema | boolean | undefined, place: string): void => {
    if (typeof schema !== 'object') return;
    if (schema.$ref) walk(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''], place);
    const isNamed = /^ids?$|Ids?$/.test(namesOf(place).at(-1) ?? '');
    if (schema.type === 'string' && !schema.enum && (schema.format === 'uuid' || isNamed)) found.add(place);
    for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) walk(each, place);
    if (schema.items && !Array.isArray(schema.items)) walk(schema.items, `${place}.0`);
    for (const [name, each] of Object.entries(schema.properties ?? {})) walk(each, place ? `${place}.${name}` : name);
  };
  walk(root, '');
  return [...found];
}

/** What ids a place takes, by the names of path parameters. @throws Error where that is not known. */
export function kindsAt(place: string, known: Readonly<Record<string, string>>): readonly string[] {
  const names = namesOf(place);
  const last = names.at(-1) ?? '';
  const found = kinds[names.slice(-2).join('.')] ?? kinds[last] ?? (last in known ? [last] : undefined);
  if (!found) throw new Error(`Add what an id at ${place} is of to \`kinds\` in tests/support/id-places.ts`);
  return found;
}

/** The input with the value at a place. */
export function withAt(input: unknown, place: string, value: string): unknown {
  const [head = '', ...rest] = place.split('.');
  const inner = (below: unknown) => (rest.length === 0 ? value : withAt(below, rest.join('.'), value));
  if (head === '0') return [inner(Array.isArray(input) ? input[0] : undefined)];
  const fields = typeof input === 'object' && !Array.isArray(input) ? (input as Record<string, unknown> | null) : {};
  return { ...fields, [head]: inner(fields?.[head]) };
}

/** A place as errors name it: `assignees[0].id`. */
export function paramAt(place: string): string {
  return place.replaceAll(/\.0\b/g, '[0]');
}
