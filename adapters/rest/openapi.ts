import { createDocument, type oas31, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { ServiceSettings } from '../../domain/context.ts';
import { type ErrorCode, errorCodes } from '../../domain/errors.ts';
import { introduction, tagDescriptions } from '../../routers/introduction.ts';
import { defaultMaxBody } from '../../routers/metadata.ts';
import { errorGuide } from '../error-guide.ts';
import { mebibytes } from '../http.ts';
import type { Operation } from '../operations.ts';
import commands from './commands.json' with { type: 'json' };
import { Examples } from './openapi/examples.ts';
import { ErrorObject } from './openapi/failures.ts';
import { requestHeaders, responseHeaders } from './openapi/headers.ts';
import { describeOperation, mediaType, type SharedResponses } from './openapi/operation.ts';
import { sampleBody, sampleRequest } from './openapi/sample-request.ts';
import { codeSamples } from './openapi/samples.ts';
import { plainSchema, tidy } from './openapi/tidy.ts';

export type OpenApiDocument = oas31.OpenAPIObject;

interface DocumentOptions {
  /** Version of the API surface. */
  version: string;
  server: oas31.ServerObject;
  /** Address of the reference pages. */
  docsUrl: string;
  /** Lines of the command-line client by operationId, for the code samples. */
  commands?: Readonly<Record<string, string>>;
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

/** Puts an example beside every body and every successful answer, and the code samples into every operation. */
function addExamples(
  document: OpenApiDocument,
  operations: readonly Operation[],
  commands: Readonly<Record<string, string>>,
): void {
  const examples = new Examples(document);
  for (const operation of operations) {
    const { path, method, status } = operation;
    const item = document.paths?.[path];
    const described = item?.[method.toLowerCase() as 'get'];
    const body = described?.requestBody as oas31.RequestBodyObject | undefined;
    const sent = body?.content['application/json'];
    if (sent?.schema) sent.example = sampleBody(operation) ?? examples.request(sent.schema);
    const done = described?.responses?.[status] as oas31.ResponseObject | undefined;
    const answer = done?.content?.[mediaType(operation)];
    if (answer?.schema) answer.example = examples.response(answer.schema);
    for (const parameter of described?.parameters ?? []) {
      if (!('in' in parameter) || !parameter.required || !parameter.schema) continue;
      parameter.example = examples.parameter(parameter.schema, parameter.name);
    }
    if (!described) continue;
    const samples = codeSamples(operation, sampleRequest(operation, described), commands[operation.id]);
    Object.assign(described, { 'x-codeSamples': samples });
  }
}

function errorTable(docsUrl: string): string {
  const rows = Object.entries(errorGuide).map(
    ([code, { statuses }]) =>
      `| [\`${code}\`](${docsUrl}/errors#${code}) | ${statuses.join(', ')} | ${errorCodes[code as ErrorCode]} |`,
  );
  return ['| Code | Status | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** `1 MiB (4 MiB for captures)`. */
function bodyLimits(operations: readonly Operation[]): string {
  const larger = operations.filter(({ maxBody }) => maxBody > defaultMaxBody);
  const exceptions = new Set(larger.map(({ maxBody, tag }) => `${mebibytes(maxBody)} for ${tag}`));
  const noted = exceptions.size > 0 ? ` (${[...exceptions].join(', ')})` : '';
  return `${mebibytes(defaultMaxBody)}${noted}`;
}

/** The OpenAPI 3.1 document of the operations: a pure function of their metadata and schemas. */
export function openApiDocument(operations: readonly Operation[], options: DocumentOptions): OpenApiDocument {
  const { version, server, docsUrl, commands = {} } = options;
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
        description: introduction({ docsUrl, errorTable: errorTable(docsUrl), bodyLimits: bodyLimits(operations) }),
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
  addExamples(tidied, operations, commands);
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
      const document = openApiDocument(operations, { version, server, docsUrl: `${publicUrl}/docs`, commands });
      made = { publicUrl, document: { ...document } };
    }
    return made.document;
  };
}
