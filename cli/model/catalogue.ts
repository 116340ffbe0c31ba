import type { OperationMeta } from '../../routers/metadata.ts';

/*
 * The operations of the service, generated from their metadata when the client is built (scripts/cli-catalogue.ts).
 * Nothing in this client names an operation that it could derive.
 */

/** The type of a value. */
export interface Shape {
  kind: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'any';
  /** Of a string: uuid, date, date-time, email, password. */
  format?: string;
  /** The only values allowed. */
  values?: readonly (string | number | boolean)[];
  isNullable?: true;
  default?: unknown;
  example?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  /** Maximum length in code points. */
  maxLength?: number;
  /** Of an array. */
  item?: Shape;
  /** Of an object whose fields are known. */
  fields?: readonly Field[];
}

export interface Field extends Shape {
  name: string;
  isRequired?: true;
  /** In a body with several kinds: the kinds that have this field. */
  onlyWith?: readonly string[];
  /** In a body with several kinds: required by some of them. */
  isSubject?: true;
}

/** The response of an operation. */
export interface Answered {
  /** The `object` type of the resource, or of a list's items. Null where there is none. */
  object: string | null;
  isList: boolean;
  /** Fields of the resource, or of a list's items. */
  fields: readonly string[];
}

type Kept = 'id' | 'method' | 'path' | 'access' | 'scope' | 'keyed' | 'etag';

export interface CatalogueOperation extends Pick<OperationMeta, Kept> {
  /** Path of its procedure, such as `todos.update`. */
  name: string;
  tag: string;
  summary: string;
  /** Markdown; empty when there is only a summary. */
  description: string;
  /** The service may hold the request until an agent stops. */
  waits: boolean;
  /** The response is a stream of events. */
  streams: boolean;
  isDeprecated: boolean;
  pathFields: readonly Field[];
  queryFields: readonly Field[];
  bodyFields: readonly Field[];
  answer: Answered;
}

export interface Catalogue {
  /** Version of the client. */
  version: string;
  /** What each group of commands is about. */
  groups: Readonly<Record<string, string>>;
  operations: readonly CatalogueOperation[];
}

/** All fields of a request: path, query and body. */
export function fieldsOf(operation: CatalogueOperation): readonly Field[] {
  return [...operation.pathFields, ...operation.queryFields, ...operation.bodyFields];
}
