import type { oas31 } from 'zod-openapi';
import { tagDescriptions } from '../../../routers/introduction.ts';
import type { Operation } from '../../operations.ts';
import type { CodeSample } from '../../rest/openapi/samples.ts';
import type { GuideName } from '../texts/guides.ts';
import { type FieldLine, Schemas } from './schemas.ts';

/** One operation of the reference. */
export interface ReferenceOperation {
  id: string;
  method: string;
  path: string;
  title: string;
  /** Markdown. */
  description: string;
  isDeprecated: boolean;
  /** Groups of fields of the request: path, query, headers, body. */
  inputs: readonly { title: string; fields: readonly FieldLine[] }[];
  answer: { status: number; type: string | undefined; example: string };
  errors: readonly { status: string; codes: readonly string[] }[];
  samples: readonly CodeSample[];
  guides: readonly GuideName[];
}

/** The operations of one tag: a page of the reference. */
export interface ReferencePage {
  tag: string;
  title: string;
  description: string;
  operations: readonly ReferenceOperation[];
  /** The objects that the answers are made of. */
  objects: readonly { name: string; fields: readonly FieldLine[] }[];
}

/** Guides that explain what an operation has in common with others. */
function guidesOf({ keyed, stream, fields, after, tag }: Operation): GuideName[] {
  return [
    ...(keyed ? (['idempotency'] as const) : []),
    ...(fields.cursor ? (['pagination'] as const) : []),
    ...(stream || after || fields.afterSequence ? (['polling-and-streams'] as const) : []),
    ...(['chats', 'approvals', 'agents'].includes(tag) ? (['agents'] as const) : []),
  ];
}

function parametersIn(place: string, described: oas31.OperationObject, schemas: Schemas): FieldLine[] {
  const all = (described.parameters ?? []).map((each) => schemas.resolve(each as oas31.ParameterObject));
  return all
    .filter((each) => each.in === place)
    .map(({ name, schema = {}, description = '', required = false }) => ({
      ...schemas.line(name, schema as oas31.SchemaObject, required),
      description,
    }));
}

function errorsOf(described: oas31.OperationObject, schemas: Schemas): ReferenceOperation['errors'] {
  return Object.entries(described.responses ?? {})
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => {
      const { content } = schemas.resolve(response as oas31.ResponseObject);
      return { status, codes: Object.keys(content?.['application/json']?.examples ?? {}) };
    });
}

function operationOf(operation: Operation, described: oas31.OperationObject, schemas: Schemas): ReferenceOperation {
  const { id, method, path, summary, status, deprecated } = operation;
  const sent = (described.requestBody as oas31.RequestBodyObject | undefined)?.content['application/json']?.schema;
  const done = schemas.resolve(described.responses?.[status] as oas31.ResponseObject);
  const [answer] = Object.values(done.content ?? {});
  const groups = [
    { title: 'Path', fields: parametersIn('path', described, schemas) },
    { title: 'Query', fields: parametersIn('query', described, schemas) },
    { title: 'Headers', fields: parametersIn('header', described, schemas) },
    { title: 'Body', fields: sent ? schemas.fields(sent as oas31.SchemaObject) : [] },
  ];
  return {
    ...{ id, method, path, title: summary },
    description: described.description ?? '',
    isDeprecated: deprecated !== null,
    inputs: groups.filter(({ fields }) => fields.length > 0),
    answer: {
      status,
      type: Schemas.nameOf(answer?.schema as oas31.SchemaObject | undefined),
      example: JSON.stringify(answer?.example ?? null, null, 2),
    },
    errors: errorsOf(described, schemas),
    samples: (described as { 'x-codeSamples'?: CodeSample[] })['x-codeSamples'] ?? [],
    guides: guidesOf(operation),
  };
}

/** `todo-lists` → `Todo lists`, `api-keys` → `API keys`. */
export function titleOf(tag: string): string {
  const words = tag.replaceAll('-', ' ').replace(/^api\b/, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The pages of the reference, in the order of the document. */
export function referencePages(operations: readonly Operation[], document: oas31.OpenAPIObject): ReferencePage[] {
  const schemas = new Schemas(document);
  return [...new Set(operations.map(({ tag }) => tag))].map((tag) => {
    const described = operations
      .filter((each) => each.tag === tag)
      .map((each) => {
        const found = document.paths?.[each.path]?.[each.method.toLowerCase() as 'get'];
        if (!found) throw new Error(`The document lacks ${each.id}`);
        return operationOf(each, found, schemas);
      });
    return {
      tag,
      title: titleOf(tag),
      description: tagDescriptions[tag] ?? '',
      operations: described,
      objects: schemas.objectsFrom(described.flatMap(({ answer }) => answer.type ?? [])),
    };
  });
}
