import { z } from 'zod';
import { getIdentity, getOpenApiSpecification, getServiceInfo } from '../domain/meta/service.ts';
import { Identity, OpenApiDocument, ServiceInfo } from '../domain/meta/shapes.ts';
import { op, procedure, publicProcedure, router } from './base.ts';

export const meta = router({
  serviceInfo: publicProcedure
    .meta(
      op('GET /', {
        id: 'getServiceInfo',
        access: 'public',
        summary: 'Describe the service',
        description:
          'Returns the name and the version of the API and the addresses of its documents, of the MCP endpoint and of the installer of the command-line client. Use it to check an address before you send it a credential; getIdentity checks the credential.',
      }),
    )
    .input(z.strictObject({}))
    .output(ServiceInfo)
    .query(({ ctx }) => getServiceInfo(ctx)),

  openApi: publicProcedure
    .meta(
      op('GET /openapi.json', {
        id: 'getOpenApiSpecification',
        access: 'public',
        summary: 'This document, as OpenAPI 3.1',
        description:
          'Returns the OpenAPI 3.1 description of every operation, generated from the operations that this service runs, with examples and code samples. Use it to generate clients. It changes only with a release: send its `ETag` as `If-None-Match`.',
        etag: true,
      }),
    )
    .input(z.strictObject({}))
    .output(OpenApiDocument)
    .query(({ ctx }) => getOpenApiSpecification(ctx)),

  identity: procedure
    .meta(
      op('GET /me', {
        id: 'getIdentity',
        beforeSecondFactor: true,
        summary: 'Get your identity and the operations that you may call',
        description:
          'Returns the workspace, the person and the credential of the request, and in `allowedOperations` the operations that its scopes permit. Call it first to check a key, and again when an operation is refused with `missing_scope`.',
        etag: true,
      }),
    )
    .input(z.strictObject({}))
    .output(Identity)
    .query(({ ctx }) => getIdentity(ctx)),
});
