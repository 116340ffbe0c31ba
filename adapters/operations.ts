import { forEachOpenApiProcedure, getInputOutputParsers, getPathParameters } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Context, Meta, OperationMeta } from '../routers/base.ts';

/** One operation of the service as every transport sees it. */
export interface Operation extends OperationMeta {
  /** Path of the procedure in the router, such as `todos.update`. */
  name: string;
  type: 'query' | 'mutation';
  summary: string;
  description: string | undefined;
  tag: string;
  /** Path, query and body fields in one strict object. */
  input: z.ZodObject;
  output: z.ZodType;
  pathParameters: readonly string[];
  /** Runs the procedure on unvalidated input. @throws TRPCError (a Failure, or one that `translate` reads). */
  call: (ctx: Context, input: unknown) => Promise<unknown>;
}

interface CallOptions {
  ctx: Context;
  getRawInput: () => Promise<unknown>;
  path: string;
  type: Operation['type'];
  signal: AbortSignal;
  batchIndex: number;
}

type ProcedureCall = (options: CallOptions) => Promise<unknown>;

interface RouterLike {
  _def: { procedures: Parameters<typeof forEachOpenApiProcedure>[0] };
}

/** Walks a router once, at start-up: the one place that touches the internals of tRPC. */
export function operationsOf(appRouter: RouterLike): Operation[] {
  const operations: Operation[] = [];
  forEachOpenApiProcedure<Meta>(appRouter._def.procedures, ({ path: name, type, procedure, meta }) => {
    const { openapi } = meta;
    const parsers = getInputOutputParsers(procedure);
    const input = parsers.inputParser;
    const output = parsers.outputParser;
    if (
      !meta.operation ||
      !(input instanceof z.ZodObject) ||
      !(output instanceof z.ZodType) ||
      type === 'subscription'
    ) {
      throw new Error(`${name} needs op() metadata, an object as input and a schema as output`);
    }
    const call = procedure as unknown as ProcedureCall;
    operations.push({
      ...meta.operation,
      name,
      type,
      summary: openapi.summary ?? '',
      description: openapi.description,
      tag: openapi.tags?.[0] ?? 'meta',
      input,
      output,
      pathParameters: getPathParameters(openapi.path),
      call: (ctx, raw) =>
        call({ ctx, getRawInput: async () => raw, path: name, type, signal: ctx.signal, batchIndex: 0 }),
    });
  });
  return operations;
}
