import type { Catalogue, CatalogueOperation, Field, Shape } from '../catalogue.ts';
import { type Argument, isImplied, type OperationCommand } from '../commands/command.ts';
import { isLongText, type Option } from '../commands/options.ts';
import { usage } from '../failure.ts';
import type { RequestParts } from '../service/calls.ts';
import { type Names, takesNames } from './names.ts';
import type { Given, Parsed } from './parse.ts';
import type { Sources } from './sources.ts';
import { isId, readJson, readValue } from './values.ts';

/** What building a request may ask for. */
export interface Desk {
  catalogue: Catalogue;
  names: Names;
  sources: Sources;
  now: Date;
  /** Asks for a secret without showing it; undefined where nobody can be asked. */
  askSecret: ((label: string) => Promise<string>) | undefined;
}

type Fields = Record<string, unknown>;

const isReference = ({ kind, format, item }: Shape) =>
  (kind === 'string' && format === 'uuid') || (kind === 'array' && item?.fields?.some(({ name }) => name === 'id'));

/** Reads what was typed, one request's worth. */
class RequestReader {
  readonly #desk: Desk;
  readonly #operation: CatalogueOperation;
  readonly path: Record<string, string> = {};
  readonly query: Fields = {};
  body: Fields = {};

  constructor(desk: Desk, operation: CatalogueOperation) {
    this.#desk = desk;
    this.#operation = operation;
  }

  /** JSON as it is typed, or out of `@file`, or out of stdin (`-`). */
  async json(text: string, shown: string): Promise<string> {
    if (text === '-') return this.#desk.sources.stdin(shown);
    return text.startsWith('@') ? this.#desk.sources.file(text.slice(1)) : text;
  }

  async #secret(text: string, shown: string): Promise<string> {
    if (text === '-') return this.#desk.sources.line(shown);
    throw usage(
      `${shown} does not take a secret on the command line, where others on this machine can read it.`,
      `Leave it out to be asked, or write ${shown} - (a line of stdin) or ${shown}-file PATH.`,
    );
  }

  async #id(text: string, field: string, shown: string, only?: string): Promise<string> {
    if (isId(text)) return text;
    if (!takesNames(this.#desk.catalogue, field)) throw usage(`${shown} must be an id (a UUID); it is “${text}”.`);
    return this.#desk.names.idOf(text, { field, shown, path: this.path, ...(only !== undefined && { only }) });
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
      const each = parts.every((part) => isId(part) || part === 'me') ? parts : [text];
      return Promise.all(each.map(async (one) => ({ id: await this.#id(one, name, shown, only) })));
    }
    if (item.format === 'uuid') return Promise.all(parts.map((one) => this.#id(one, name.replace(/s$/, ''), shown)));
    return parts.filter(Boolean).map((one) => readValue(one, item, shown, this.#desk.now));
  }

  async #value({ by, shown, text = '' }: Given): Promise<unknown> {
    const { shape, target } = by;
    const name = target.path.at(-1) ?? '';
    const only = 'only' in by ? by.only : undefined;
    if (shape.kind === 'array') return this.#elements(text, name, shape, shown, only);
    if (shape.format === 'password') return this.#secret(text, shown);
    if (shape.format === 'uuid') return this.#id(text, name, shown, only);
    if (shape.kind === 'object' || shape.kind === 'any') {
      return readValue(await this.json(text, shown), shape, shown, this.#desk.now);
    }
    const isText = isLongText(shape) || ('isRest' in by && !shape.values && !shape.format);
    const typed = text === '-' && shape.kind === 'string' && isText ? await this.#desk.sources.stdin(shown) : text;
    return readValue(typed, shape, shown, this.#desk.now);
  }

  /** Puts a value where it goes; lists grow, everything else is given once. @throws CliFailure 2. */
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

  /** A name for a list travels as such where the operation takes it: the service knows best what it means. */
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
        const value = readValue(this.#desk.sources.file(text ?? ''), by.shape, shown, this.#desk.now);
        this.#put(by.target, value, shown, isSet);
      } else {
        const name = this.#asName(by, text ?? '');
        this.#put(name ?? by.target, name ? text : await this.#value(each), shown, isSet);
      }
    }
  }

  /** Fills in what can be asked for or is implied. @throws CliFailure 2 naming a field that is missing. */
  async complete(command: OperationCommand): Promise<void> {
    const { pathFields, queryFields, bodyFields } = this.#operation;
    const missing = (fields: readonly Field[], there: Fields) =>
      fields.filter(({ name, isRequired }) => isRequired && there[name] === undefined);
    for (const field of missing(pathFields, this.path)) this.path[field.name] = await this.#fill(command, field);
    for (const field of missing(queryFields, this.query)) this.query[field.name] = await this.#fill(command, field);
    for (const field of missing(bodyFields, this.body)) this.body[field.name] = await this.#fill(command, field);
  }

  async #fill(command: OperationCommand, field: Field): Promise<string> {
    if (isImplied(field)) return (await this.#desk.names.identity(this.#operation)).workspaceId;
    const option = command.options.find(({ target }) => target.path.join('.') === field.name);
    const flag = `--${option?.flag ?? field.name}`;
    if (field.format !== 'password')
      throw usage(`${flag} is missing.`, `See: tandem ${command.words.join(' ')} --help`);
    if (!this.#desk.askSecret)
      throw usage(`${flag} is missing: write ${flag} - (a line of stdin) or ${flag}-file PATH.`);
    return this.#desk.askSecret(field.name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  }
}

/** Lists in a query are written with commas, and everything as text. */
function queryText(query: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

const printable = /^[\x20-\x7e]{1,255}$/;

/** The value of a flag that travels as a header. @throws CliFailure 2. */
function headerOf(general: Parsed['general'], flag: string): string | undefined {
  const value = general.get(flag);
  if (typeof value !== 'string') return undefined;
  if (printable.test(value)) return value;
  throw usage(`--${flag} must be 1 to 255 printable ASCII characters.`);
}

/** The request that a command line means. @throws CliFailure 2 naming what is wrong with it. */
export async function buildRequest(
  command: OperationCommand,
  { given, general }: Parsed,
  desk: Desk,
): Promise<RequestParts & { path: Record<string, string>; query: Record<string, string> }> {
  const { operation } = command;
  const reader = new RequestReader(desk, operation);
  const whole = general.get('body');
  if (typeof whole === 'string') {
    reader.body = readValue(await reader.json(whole, '--body'), { kind: 'object' }, '--body', desk.now) as Fields;
  }
  await reader.take(given);
  await reader.complete(command);
  if (operation.method === 'PATCH' && Object.keys(reader.body).length === 0) {
    throw usage('Nothing is to be changed.', `See what can be: tandem ${command.words.join(' ')} --help`);
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
