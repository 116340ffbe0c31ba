import type { CatalogueOperation, Field, Shape } from '../model/catalogue.ts';
import { type GeneralFlag, operationFlags, takenFlags } from './general.ts';
import { kebab, type Option, optionsFor, type Place, type Target } from './options.ts';
import { commandWords, naturalFields, naturalLists } from './spelling.ts';

/** A positional argument. */
export interface Argument {
  name: string;
  target: Target;
  shape: Shape;
  isRequired: boolean;
  /** Takes all remaining words. */
  isRest: boolean;
}

/** The command of one operation. */
export interface OperationCommand {
  words: readonly string[];
  summary: string;
  operation: CatalogueOperation;
  arguments: readonly Argument[];
  options: readonly Option[];
  /** Client flags of this command, beside the general ones. */
  flags: readonly GeneralFlag[];
}

/** `todos.listRuns` → `todos runs`; `apiKeys.create` → `api-keys create`. */
function wordsOf({ id, name }: CatalogueOperation): string[] {
  const spelled = commandWords[id];
  if (spelled !== undefined) return spelled.split(' ');
  const [group = '', ...rest] = name.split('.');
  return [kebab(group), ...rest.map((each) => kebab(each.replace(/^list(?=[A-Z])/, '')))];
}

const isText = ({ kind, format }: Shape) => (kind === 'string' || kind === 'integer') && format !== 'password';

function argument(field: Field, place: Place, more: Partial<Argument> = {}): Argument {
  const name = (field.kind === 'array' ? field.name.replace(/s$/, '') : field.name).replace(/(?<=.)Id$/, '');
  const target = { place, path: [field.name] };
  return { name: kebab(name), target, shape: field, isRequired: true, isRest: false, ...more };
}

/** Whether a field defaults to the workspace of the credential. */
export function isImplied({ name }: Pick<Field, 'name'>): boolean {
  return name === 'workspaceId';
}

/** Path ids, then required texts of the body (of all its kinds or of one), else the body's natural text. */
function argumentsOf(operation: CatalogueOperation): Argument[] {
  const { pathFields, queryFields, bodyFields, method } = operation;
  const ids = pathFields.filter((field) => !isImplied(field)).map((field) => argument(field, 'path'));
  const needed = bodyFields.filter(({ isRequired }) => isRequired);
  const isSubject = (field: Field) => !isImplied(field) || bodyFields.length === 1;
  const texts = needed.filter((field) => isText(field) && isSubject(field)).map((field) => argument(field, 'body'));
  const isPlainList = ({ kind, item }: Shape) => kind === 'array' && !item?.values;
  const ofSome = bodyFields.filter((field) => field.isSubject && isText(field));
  texts.push(...ofSome.map((field) => argument(field, 'body', { isRequired: false })));
  const natural = bodyFields.find((field) => naturalLists.includes(field.name) && isPlainList(field));
  const list = texts.length === 0 ? (needed.find(isPlainList) ?? natural) : undefined;
  const isRequired = list?.isRequired ?? false;
  const rest = list ? [argument(list, 'body', { isRequired, isRest: list.item?.kind !== 'object' })] : [];
  const text = naturalFields.map((name) => bodyFields.find((field) => field.name === name)).find(Boolean);
  const subject =
    method === 'POST' && needed.length === 0 && text ? [argument(text, 'body', { isRequired: false })] : [];
  const asked = queryFields.filter((field) => field.isRequired && !isImplied(field));
  return [...ids, ...asked.map((field) => argument(field, 'query')), ...texts, ...rest, ...subject];
}

/** Whether `--wait` can follow what the operation starts. */
export function startsWork({ method, answer, waits, bodyFields }: CatalogueOperation): boolean {
  if (method !== 'POST' || answer.isList) return false;
  if (answer.object === 'chat' || answer.object === 'chat_run') return waits;
  if (answer.object === 'todo') return bodyFields.some(({ name }) => name === 'run');
  return answer.object === 'todo_run' || answer.object === 'approval';
}

/** Whether the operation lists pages by cursor. */
function isPaged({ answer, queryFields }: CatalogueOperation): boolean {
  return answer.isList && queryFields.some(({ name }) => name === 'cursor');
}

function flagsOf(operation: CatalogueOperation): GeneralFlag[] {
  const { bodyFields, keyed, etag, method } = operation;
  return [
    ...(isPaged(operation) ? [operationFlags.all] : []),
    ...(startsWork(operation) ? [operationFlags.wait] : []),
    ...(bodyFields.length > 0 ? [operationFlags.body] : []),
    ...(keyed ? [operationFlags.idempotencyKey] : []),
    ...(etag && (method === 'PATCH' || method === 'DELETE') ? [operationFlags.ifMatch] : []),
  ];
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The command of an operation, derived from its metadata. Arguments and options are computed on first use. */
export function commandOf(operation: CatalogueOperation): OperationCommand {
  const { pathFields: path, queryFields: query, bodyFields: body, method, summary } = operation;
  const options = once(() => optionsFor({ path, query, body }, method === 'PATCH', takenFlags));
  const args = once(() => argumentsOf(operation));
  return {
    words: wordsOf(operation),
    summary,
    operation,
    flags: flagsOf(operation),
    get arguments() {
      return args();
    },
    get options() {
      return options();
    },
  };
}
