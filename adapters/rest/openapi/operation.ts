import { z } from 'zod';
import type { oas31, ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { readScopes } from '../../../domain/scopes.ts';
import { mayLag, type Operation } from '../../operations.ts';
import { refusalResponse, refusalsOf } from './failures.ts';
import { splitInput } from './fields.ts';
import { headersOf, requestHeadersOf } from './headers.ts';

/** A day as people write it in prose, in UTC. */
function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function accessNote({ access, scope }: Operation): string {
  if (access === 'public') return 'Needs no credential.';
  if (access === 'session' || access === 'key_management') return 'Needs the session of a signed-in person.';
  if (access === 'reader') return `Needs one of the scopes ${readScopes.map((each) => `\`${each}\``).join(', ')}.`;
  if (access === 'subscriber') {
    return 'Needs a session, or an API key that has the read scopes of the events (OAuth tokens cannot call it).';
  }
  return scope === null ? 'Works with every valid credential.' : `Needs the scope \`${scope}\`.`;
}

function describe(operation: Operation): string {
  const { description, deprecated } = operation;
  return [
    ...(deprecated
      ? [`**Deprecated: stops working on ${day(deprecated.sunset)}.** Use \`${deprecated.replacement}\` instead.`]
      : []),
    ...(description === undefined ? [] : [description]),
    accessNote(operation),
  ].join('\n\n');
}

/** Who may call it. Scopes are not named here: OpenAPI allows them on OAuth schemes only. */
function security({ access }: Operation): oas31.SecurityRequirementObject[] {
  if (access === 'public') return [];
  return access === 'session' || access === 'key_management' ? [{ session: [] }] : [{ apiKey: [] }, { session: [] }];
}

const outcomes: Record<Operation['status'], string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: the work has started and continues after this response.',
};

function tagged({ etag, method }: Operation): boolean {
  return etag && method !== 'DELETE';
}

/** The media type of the answer. */
export function mediaType({ stream }: Operation): string {
  return stream ? 'text/event-stream' : 'application/json';
}

function success(operation: Operation): ZodOpenApiResponseObject {
  const { keyed, status, output, stream, type, access } = operation;
  const name = z.globalRegistry.get(output)?.id;
  const answer = stream
    ? `The answer is a stream of server-sent events, each described by \`${name}\`: its \`event\` and \`id\` lines, and the JSON of its \`data\` line.`
    : `The answer is one \`${name}\`.`;
  return {
    description: name === undefined ? outcomes[status] : `${outcomes[status]} ${answer}`,
    headers: headersOf(
      operation,
      ...(tagged(operation) ? (['ETag'] as const) : []),
      ...(mayLag(operation) ? (['Age'] as const) : []),
      ...(type === 'query' && !stream && access !== 'public' ? (['Tandem-Sequence'] as const) : []),
      ...(type === 'mutation' ? (['Tandem-Event'] as const) : []),
      ...(keyed ? (['Idempotency-Replayed'] as const) : []),
    ),
    content: { [mediaType(operation)]: { schema: output } },
  };
}

/** The shared responses, collected while the operations are described: one per distinct failure. */
export type SharedResponses = Record<string, ZodOpenApiResponseObject>;

/** One operation of the document. Its failures become shared responses, unless their headers are its own. */
export function describeOperation(
  operation: Operation,
  shared: SharedResponses,
  docsUrl: string,
): ZodOpenApiOperationObject {
  const { path, query, body } = splitInput(operation);
  const requestParams = { ...(path && { path }), ...(query && { query }) };
  const parameters = requestHeadersOf(operation);
  const responses: NonNullable<ZodOpenApiOperationObject['responses']> = {};
  responses[`${operation.status}`] = success(operation);
  if (operation.etag && operation.method === 'GET') {
    const description = 'Not changed: a tag in `If-None-Match` is current. No body.';
    const notModified = { description, headers: headersOf(operation, 'ETag', 'Age', 'Tandem-Sequence') };
    if (!operation.deprecated) shared.NotModified ??= notModified;
    responses['304'] = operation.deprecated ? notModified : { $ref: '#/components/responses/NotModified' };
  }
  for (const refusal of refusalsOf(operation)) {
    const status = `${refusal.status}` as '400';
    if (operation.deprecated) {
      responses[status] = refusalResponse(operation, refusal, docsUrl);
      continue;
    }
    shared[refusal.name] ??= refusalResponse(operation, refusal, docsUrl);
    responses[status] = { $ref: `#/components/responses/${refusal.name}` };
  }
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: describe(operation),
    ...(operation.deprecated && { deprecated: true }),
    security: security(operation),
    ...(operation.scope !== null && { 'x-required-scopes': [operation.scope] }),
    ...(Object.keys(requestParams).length > 0 && { requestParams }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: body.required, content: { 'application/json': { schema: body.schema } } },
    }),
    responses,
  };
}
