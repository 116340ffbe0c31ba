import type { OperationMeta } from '../routers/metadata.ts';

/*
 * What the client knows of the service: a list of its operations, made from their metadata when the client is built
 * (scripts/cli-catalogue.ts). Nothing here names one of them.
 */

/** What a value may be. */
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
  /** Longest text in code points. */
  maxLength?: number;
  /** Of an array. */
  item?: Shape;
  /** Of an object whose fields are known. */
  fields?: readonly Field[];
}

export interface Field extends Shape {
  name: string;
  isRequired?: true;
  /** Of a body that is one of several: the kinds that have it. */
  onlyWith?: readonly string[];
  /** Of a body that is one of several: needed by some kinds. */
  isSubject?: true;
}

/** What an operation answers. */
export interface Answered {
  /** The type in `object` of the resource; of a list, that of its items. Null where there is none. */
  object: string | null;
  isList: boolean;
  /** Fields of the resource; of a list, those of its items. */
  fields: readonly string[];
}

type Kept = 'id' | 'method' | 'path' | 'access' | 'scope' | 'keyed' | 'etag';

export interface CatalogueOperation extends Pick<OperationMeta, Kept> {
  /** Path of its procedure, such as `todos.update`. */
  name: string;
  tag: string;
  summary: string;
  /** Markdown; empty when the summary says it all. */
  description: string;
  /** The request may be held until an agent stops. */
  waits: boolean;
  /** The answer is a stream of events. */
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

/** The fields of a request, whatever way they travel. */
export function fieldsOf(operation: CatalogueOperation): readonly Field[] {
  return [...operation.pathFields, ...operation.queryFields, ...operation.bodyFields];
}
