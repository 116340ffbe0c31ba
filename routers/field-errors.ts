import { z } from 'zod';

/** One field at fault; `param` is its path, such as `assignees[0].id`. */
export interface FieldError {
  param: string | null;
  code: string;
  message: string;
}

/** A name that the caller made up, short enough to be repeated in an answer. */
export function shown(name: string): string {
  return name.length <= 100 ? name : name.slice(0, 100).toWellFormed();
}

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return kinds[Array.isArray(value) ? 'array' : typeof value] ?? typeof value;
}

/** What a value must be that has the wrong kind. */
function kindMessage(expected: string, input: unknown): string {
  const wanted = kinds[expected] ?? expected;
  const tellsKind = expected === 'boolean' || (expected === 'int' && typeof input === 'number');
  return tellsKind ? `must be ${wanted}` : `must be ${wanted}, not ${kindOf(input)}`;
}

function boundMessage(origin: string, bound: string, count: number): string {
  if (origin === 'array') return `must have ${bound} ${count} ${count === 1 ? 'item' : 'items'}`;
  if (origin === 'string') return `must be ${bound} ${count} characters long`;
  return `must be ${bound} ${count}`;
}

/** What is wrong, as a predicate of the field; undefined leaves it to zod. */
function wording(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && ['invalid_type', 'invalid_value'].includes(issue.code)) return 'is missing';
  if (issue.code === 'invalid_type') return kindMessage(issue.expected, issue.input);
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'invalid_union' && Array.isArray(issue.options)) {
    const given = (issue.input as Record<string, unknown> | undefined)?.[String(issue.discriminator)];
    return given === undefined ? 'is missing' : `must be one of ${issue.options.map(String).join(', ')}`;
  }
  if (issue.code === 'too_big') return boundMessage(issue.origin, 'at most', Number(issue.maximum));
  if (issue.code !== 'too_small') return undefined;
  if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
  return boundMessage(issue.origin, 'at least', Number(issue.minimum));
}

// For the whole process: tRPC parses the inputs, and takes no error map. A message that a schema gives wins over it.
z.config({ customError: wording });

function pathText(path: readonly PropertyKey[]): string | null {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text === '' ? null : text;
}

const mostErrors = 100;

/** The first 100 fields at fault: a megabyte of typos is not answered with ten. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const errors = error.issues.slice(0, mostErrors).flatMap((issue): FieldError[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, mostErrors).map((key) => ({
        param: pathText([...issue.path, shown(key)]),
        code: 'unknown_field',
        message: `Unknown field “${shown(key)}”. Check its spelling or leave it out.`,
      }));
    }
    const code = { custom: 'invalid', invalid_union: 'invalid_value' }[issue.code as string] ?? issue.code;
    return [{ param: pathText(issue.path), code, message: issue.message }];
  });
  return errors.slice(0, mostErrors);
}

/** The values that the first field at fault may have, where they are few. */
export function allowedValuesOf(error: z.ZodError): string[] | undefined {
  const [issue] = error.issues;
  if (issue?.code === 'invalid_value') return issue.values.map(String);
  if (issue?.code === 'invalid_union' && 'options' in issue) return issue.options?.map(String);
  return issue?.code === 'invalid_type' && issue.expected === 'boolean' ? ['true', 'false'] : undefined;
}
