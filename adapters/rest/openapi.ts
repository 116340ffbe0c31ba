import { createDocument, type oas31, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { ServiceSettings } from '../../routers/base.ts';
import type { Operation } from '../operations.ts';
import { Examples } from './openapi/examples.ts';
import { ErrorObject } from './openapi/failures.ts';
import { requestHeaders, responseHeaders } from './openapi/headers.ts';
import { introduction, tagDescriptions } from './openapi/introduction.ts';
import { describeOperation, mediaType, type SharedResponses } from './openapi/operation.ts';
import { plainSchema, tidy } from './openapi/tidy.ts';

export type OpenApiDocument = oas31.OpenAPIObject;

interface DocumentOptions {
  /** Version of the API surface. */
  version: string;
  server: oas31.ServerObject;
  /** Address of the reference pages. */
  docsUrl: string;
}

const securitySchemes: Record<string, oas31.SecuritySchemeObject> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'tandem_sk_…',
    description: 'An API key of one workspace. Its scopes decide which operations it may call.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'tandem_st_…',
    description: 'The session of a signed-in person, with every scope in the workspace that it is bound to.',
  },
};

/** Puts an example beside every body and every successful answer that has none. */
function addExamples(document: OpenApiDocument, operations: readonly Operation[]): void {
  const examples = new Examples(document);
  for (const operation of operations) {
    const { path, method, status } = operation;
    const item = document.paths?.[path];
    const described = item?.[method.toLowerCase() as 'get'];
    const body = described?.requestBody as oas31.RequestBodyObject | undefined;
    const sent = body?.content['application/json'];
    if (sent?.schema) sent.example = examples.request(sent.schema);
    const done = described?.responses?.[status] as oas31.ResponseObject | undefined;
    const answer = done?.content?.[mediaType(operation)];
    if (answer?.schema) answer.example = examples.response(answer.schema);
    for (const parameter of described?.parameters ?? []) {
      if (!('in' in parameter) || !parameter.required || !parameter.schema) continue;
      parameter.example = examples.parameter(parameter.schema, parameter.name);
    }
  }
}

/** The OpenAPI 3.1 document of the operations: a pure function of their metadata and schemas. */
export function openApiDocument(operations: readonly Operation[], options: DocumentOptions): OpenApiDocument {
  const { version, server, docsUrl } = options;
  const paths: Record<string, Record<string, unknown>> = {};
  const responses: SharedResponses = {};
  for (const operation of operations) {
    const described = describeOperation(operation, responses, docsUrl);
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Tandem',
        version,
        description: introduction(docsUrl),
        contact: { name: 'Tandem', url: docsUrl },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [server],
      externalDocs: { description: 'Reference', url: docsUrl },
      tags: tags.map((name) => ({ name, description: tagDescriptions[name] ?? '' })),
      paths: paths as ZodOpenApiPathsObject,
      components: {
        securitySchemes,
        headers: responseHeaders,
        parameters: requestHeaders,
        responses,
        schemas: { Error: ErrorObject },
      },
    },
    { override: plainSchema },
  );
  const tidied = tidy(document);
  addExamples(tidied, operations);
  return tidied;
}

/** The document of a running service, made at the first request for it and again only when its address changes. */
export function servedDocument(
  operations: readonly Operation[],
  settings: Pick<ServiceSettings, 'version' | 'publicUrl'>,
): () => Record<string, unknown> {
  let made: { publicUrl: string; document: Record<string, unknown> } | undefined;
  return () => {
    const { version, publicUrl } = settings;
    if (made?.publicUrl !== publicUrl) {
      const server = { url: `${publicUrl}/api/v1` };
      const document = openApiDocument(operations, { version, server, docsUrl: `${publicUrl}/docs` });
      made = { publicUrl, document: { ...document } };
    }
    return made.document;
  };
}
