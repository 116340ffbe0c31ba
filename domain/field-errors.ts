import { z } from 'zod';

/** One field at fault; `param` is its path, such as `assignees[0].id`. */
export interface FieldError {
  param: string | null;
  code: string;
  message: string;
}

/** UTF-16 code units of a name of the caller that an answer repeats. */
const maxShown = 100;

/** A name from the request, cut to a length that an answer may repeat. */
export function shown(name: string): string {
  return name.length <= maxShown ? name : name.slice(0, maxShown).toWellFormed();
}

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return kinds[Array.isArray(value) ? 'array' : typeof value] ?? typeof value;
}

/** What a value must be that has the wrong kind. A JSON number such as 1e999 is read as infinite. */
function kindMessage(expected: string, input: unknown): string {
  if (expected === 'number' && typeof input === 'number') return 'is beyond the range of numbers';
  const wanted = kinds[expected] ?? expected;
  const isPlain = expected === 'boolean' || (expected === 'int' && typeof input === 'number');
  return isPlain ? `must be ${wanted}` : `must be ${wanted}, not ${kindOf(input)}`;
}

function boundMessage(origin: string, bound: string, count: number): string {
  if (origin === 'array') return `must have ${bound} ${count} ${count === 1 ? 'item' : 'items'}`;
  if (origin === 'string') return `must be ${bound} ${count} characters long`;
  return `must be ${bound} ${count}`;
}

/** What is wrong, as a predicate of the field; undefined leaves it to zod. */
function messageFor(issue: z.core.$ZodRawIssue): string | undefined {
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
z.config({ customError: messageFor });

function pathText(path: readonly PropertyKey[]): string | null {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text === '' ? null : text;
}

type Issue = z.core.$ZodIssue;

/** An issue of a value that may be one or a list, as the issues of the form that it has. */
function issuesOf(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const hasOtherKind = (each: Issue) => each.code === 'invalid_type' && each.path.length === 0;
  const form = issue.errors.findLast((issues) => !issues.some(hasOtherKind)) ?? issue.errors[0] ?? [];
  return form.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
}

/**
 * Whether the issue beside this one says more of the same field: before the field's own bound zod reports that of all
 * whole numbers, and after a list in the place of a text the length of that list.
 */
function isIdle(issue: Issue, place: number, issues: readonly Issue[]): boolean {
  const isOfField = (other: Issue | undefined): other is Issue =>
    other !== undefined && pathText(other.path) === pathText(issue.path);
  const [before, after] = [issues[place - 1], issues[place + 1]];
  if (isOfField(before) && before.code === 'invalid_type') return true;
  return 'origin' in issue && issue.origin === 'int' && isOfField(after) && after.code === issue.code;
}

/** Fields at fault that an answer lists. */
const maxErrors = 100;

/** The first 100 fields at fault: a body full of unknown fields must not make a larger answer. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const errors = error.issues
    .slice(0, maxErrors)
    .flatMap(issuesOf)
    .filter((...issue) => !isIdle(...issue))
    .flatMap((issue): FieldError[] => {
      if (issue.code === 'unrecognized_keys') {
        return issue.keys.slice(0, maxErrors).map((key) => ({
          param: pathText([...issue.path, shown(key)]),
          code: 'unknown_field',
          message: `Unknown field “${shown(key)}”. Check its spelling or leave it out.`,
        }));
      }
      const code = { custom: 'invalid', invalid_union: 'invalid_value' }[issue.code as string] ?? issue.code;
      return [{ param: pathText(issue.path), code, message: issue.message }];
    });
  return errors.slice(0, maxErrors);
}

/** The values that the first field at fault may have, where they are few. */
export function allowedValuesOf(error: z.ZodError): string[] | undefined {
  const [issue] = error.issues.slice(0, 1).flatMap(issuesOf);
  if (issue?.code === 'invalid_value') return issue.values.map(String);
  if (issue?.code === 'invalid_union' && 'options' in issue) return issue.options?.map(String);
  return issue?.code === 'invalid_type' && issue.expected === 'boolean' ? ['true', 'false'] : undefined;
}
