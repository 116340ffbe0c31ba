import { type Argument, isImplied, type OperationCommand } from '../commands/command.ts';
import type { Given, Parsed } from '../commands/invocation.ts';
import { isLongText, type Option } from '../commands/options.ts';
import { namedThings } from '../commands/spelling.ts';
import type { Catalogue, CatalogueOperation, Field, Shape } from '../model/catalogue.ts';
import { usage } from '../model/failure.ts';
import type { RequestParts } from '../service/calls.ts';
import type { Sources } from '../terminal/sources.ts';
import { type Names, takesNames, takesTitles } from './names.ts';
import { isId, readJson, readValue } from './values.ts';

/** What building a request needs beside the command line. */
export interface RequestContext {
  catalogue: Catalogue;
  names: Names;
  sources: Sources;
  now: Date;
  /** Prompts for a secret without echo; undefined where there is no terminal. */
  askSecret: ((label: string) => Promise<string>) | undefined;
}

type Fields = Record<string, unknown>;

const isReference = ({ kind, format, item }: Shape) =>
  (kind === 'string' && format === 'uuid') ||
  (kind === 'array' && item?.fields?.some(({ name, isRequired }) => name === 'id' && isRequired));

/** Whether a text is nothing but ids, or `me`, which the service knows. */
const areIds = (text: string) => text.split(',').every((each) => isId(each.trim()) || each.trim() === 'me');

/** Collects path, query and body of one request. */
class RequestReader {
  readonly #context: RequestContext;
  readonly #operation: CatalogueOperation;
  readonly path: Record<string, string> = {};
  readonly query: Fields = {};
  body: Fields = {};

  constructor(context: RequestContext, operation: CatalogueOperation) {
    this.#context = context;
    this.#operation = operation;
  }

  /** JSON as typed, from `@file`, or from stdin (`-`). */
  async json(text: string, shown: string): Promise<string> {
    if (text === '-') return this.#context.sources.stdin(shown);
    return text.startsWith('@') ? this.#context.sources.file(text.slice(1)) : text;
  }

  async #secret(text: string, shown: string): Promise<string> {
    if (text === '-') return this.#context.sources.line(shown);
    throw usage(
      `${shown} does not take a secret on the command line, where other users of this machine can read it.`,
      `Omit it to be prompted, or write ${shown} - (a line of stdin) or ${shown}-file PATH.`,
    );
  }

  async #id(text: string, field: string, shown: string, only?: string): Promise<string> {
    if (isId(text)) return text;
    const { catalogue } = this.#context;
    if (!takesNames(catalogue, field) && !takesTitles(catalogue, field))
      throw usage(`${shown} must be an id (a UUID); it is “${text}”.`);
    return this.#context.names.idOf(text, { field, shown, path: this.path, ...(only !== undefined && { only }) });
  }

  async #elements(text: string, name: string, shape: Shape, shown: string, only?: string): Promise<unknown[]> {
    const { item = { kind: 'any' } } = shape;
    const isNamed = isReference(shape);
    const looksLikeJson = isNamed ? /^\s*[[{@]/.test(text) : item.kind === 'object' || item.kind === 'any';
    if (looksLikeJson) {
      const value = readJson(await this.json(text, shown), shown);
      return Array.isArray(value) ? value : [value];
    }
    const parts = text.split(',').map((each) => each.trim());
    if (isNamed) {
      const each = areIds(text) ? parts : [text];
      return Promise.all(each.map(async (one) => ({ id: await this.#id(one, name, shown, only) })));
    }
    if (item.format === 'uuid') return Promise.all(parts.map((one) => this.#id(one, name.replace(/s$/, ''), shown)));
    return parts.filter(Boolean).map((one) => readValue(one, item, shown, this.#context.now));
  }

  async #value({ by, shown, text = '' }: Given): Promise<unknown> {
    const { shape, target } = by;
    const name = target.path.at(-1) ?? '';
    const only = 'only' in by ? by.only : undefined;
    if (shape.kind === 'array') return this.#elements(text, name, shape, shown, only);
    if (shape.format === 'password') return this.#secret(text, shown);
    if (shape.format === 'uuid' || (namedThings[name] && !areIds(text))) return this.#id(text, name, shown, only);
    if (shape.kind === 'object' || shape.kind === 'any') {
      return readValue(await this.json(text, shown), shape, shown, this.#context.now);
    }
    const isText = isLongText(shape) || ('isRest' in by && !shape.values && !shape.format);
    const typed = text === '-' && shape.kind === 'string' && isText ? await this.#context.sources.stdin(shown) : text;
    return readValue(typed, shape, shown, this.#context.now);
  }

  /** Sets a value at its target; lists append, anything else may be given once. @throws CliFailure 2. */
  #put(target: Argument['target'], value: unknown, shown: string, isSet: Set<string>): void {
    const place: Fields = target.place === 'path' ? this.path : target.place === 'query' ? this.query : this.body;
    const parents = target.path.slice(0, -1);
    let inner = place;
    for (const name of parents) {
      const next = inner[name];
      inner[name] = typeof next === 'object' && next !== null ? next : {};
      inner = inner[name] as Fields;
    }
    const name = target.path.at(-1) ?? '';
    const key = `${target.place} ${target.path.join('.')}`;
    const before = isSet.has(key) ? inner[name] : undefined;
    if (before !== undefined && !(Array.isArray(before) && Array.isArray(value))) {
      throw usage(`${shown} is given twice.`);
    }
    isSet.add(key);
    inner[name] = Array.isArray(before) ? [...before, ...(value as unknown[])] : value;
  }

  /** A list given by name is sent as a name where the operation accepts one, so that the service resolves it. */
  #asName({ target, shape }: Option | Argument, text: string): Argument['target'] | undefined {
    const [name = ''] = target.path;
    const other = name.replace(/Id$/, 'Name');
    const takes = this.#operation.bodyFields.some((field) => field.name === other);
    if (target.place !== 'body' || target.path.length > 1 || shape.format !== 'uuid') return undefined;
    return other !== name && takes && !isId(text) ? { place: 'body', path: [other] } : undefined;
  }

  async take(given: readonly Given[]): Promise<void> {
    const isSet = new Set<string>();
    // Ids of the path first: a name may stand for something below them. Then whole objects, before their parts.
    const order = ({ by: { target } }: Given) => (target.place === 'path' ? 0 : target.path.length);
    for (const each of [...given].sort((a, b) => order(a) - order(b))) {
      const { by, shown, text } = each;
      const effect = 'effect' in by ? by.effect : ({ kind: 'value' } as const);
      if (effect.kind === 'fixed') this.#put(by.target, effect.value, shown, isSet);
      else if (effect.kind === 'clear') {
        this.#put({ place: 'body', path: ['clear'] }, [effect.name], shown, isSet);
      } else if (effect.kind === 'file') {
        const value = readValue(this.#context.sources.file(text ?? ''), by.shape, shown, this.#context.now);
        this.#put(by.target, value, shown, isSet);
      } else {
        const name = this.#asName(by, text ?? '');
        this.#put(name ?? by.target, name ? text : await this.#value(each), shown, isSet);
      }
    }
  }

  /** Fills in what is implied or can be prompted for. @throws CliFailure 2 naming a missing field. */
  async complete(command: OperationCommand): Promise<void> {
    const { pathFields, queryFields, bodyFields } = this.#operation;
    const missing = (fields: readonly Field[], there: Fields) =>
      fields.filter(({ name, isRequired }) => isRequired && there[name] === undefined);
    for (const field of missing(pathFields, this.path)) this.path[field.name] = await this.#fill(command, field);
    for (const field of missing(queryFields, this.query)) this.query[field.name] = await this.#fill(command, field);
    for (const field of missing(bodyFields, this.body)) this.body[field.name] = await this.#fill(command, field);
  }

  async #fill(command: OperationCommand, field: Field): Promise<string> {
    if (isImplied(field)) return (await this.#context.names.identity(this.#operation)).workspaceId;
    const option = command.options.find(({ target }) => target.path.join('.') === field.name);
    const flag = `--${option?.flag ?? field.name}`;
    if (field.format !== 'password')
      throw usage(`${flag} is missing.`, `See: tandem ${command.words.join(' ')} --help`);
    if (!this.#context.askSecret)
      throw usage(`${flag} is missing: write ${flag} - (a line of stdin) or ${flag}-file PATH.`);
    return this.#context.askSecret(field.name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`));
  }
}

/** Query values as text; lists are joined with commas. */
function queryText(query: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

const printable = /^[\x20-\x7e]{1,255}$/;

/** The value of a flag that is sent as a header. @throws CliFailure 2. */
function headerOf(general: Parsed['general'], flag: string): string | undefined {
  const value = general.get(flag);
  if (typeof value !== 'string') return undefined;
  if (printable.test(value)) return value;
  throw usage(`--${flag} must be 1 to 255 printable ASCII characters.`);
}

/** Builds the request of a command line. @throws CliFailure 2 naming what is wrong. */
export async function buildRequest(
  command: OperationCommand,
  { given, general }: Parsed,
  context: RequestContext,
): Promise<RequestParts & { path: Record<string, string>; query: Record<string, string> }> {
  const { operation } = command;
  const reader = new RequestReader(context, operation);
  const whole = general.get('body');
  if (typeof whole === 'string') {
    reader.body = readValue(await reader.json(whole, '--body'), { kind: 'object' }, '--body', context.now) as Fields;
  }
  await reader.take(given);
  await reader.complete(command);
  if (operation.method === 'PATCH' && Object.keys(reader.body).length === 0) {
    throw usage('Nothing to change.', `See the flags: tandem ${command.words.join(' ')} --help`);
  }
  const idempotencyKey = headerOf(general, 'idempotency-key');
  const ifMatch = headerOf(general, 'if-match');
  return {
    path: reader.path,
    query: queryText(reader.query),
    ...(operation.bodyFields.length > 0 && { body: reader.body }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(ifMatch !== undefined && { ifMatch }),
  };
}
