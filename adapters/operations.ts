import {
  forEachOpenApiProcedure,
  getInputOutputParsers,
  getPathParameters,
  type OpenApiProcedure,
} from 'trpc-to-openapi';
import { z } from 'zod';
import type { RequestContext } from '../domain/context.ts';
import type { ToolMeta } from '../domain/operations.ts';
import type { Meta, OperationMeta } from '../routers/metadata.ts';
import { procedureCall } from './procedure-call.ts';

/** One operation of the service as every transport sees it. */
export interface Operation extends OperationMeta {
  /** Path of the procedure in the router, such as `todos.update`. */
  name: string;
  type: 'query' | 'mutation';
  summary: string;
  description: string | undefined;
  tag: string;
  /** Path, query and body fields in one strict object; or a body that is one of several, distinguished by a field. */
  input: z.ZodObject | z.ZodDiscriminatedUnion;
  /** The fields of the input by name. */
  fields: Readonly<Record<string, z.ZodType>>;
  /** The answer; of a stream, one event. */
  output: z.ZodType;
  pathParameters: readonly string[];
  /** Runs the procedure on unvalidated input. @throws TRPCError (a Failure, or one that `translate` reads). */
  call: (ctx: RequestContext, input: unknown) => Promise<unknown>;
}

/**
 * Whether an operation may be answered by a standby: it reads what a scope of resources is for. Credentials, members,
 * the log and what changes are read from the primary alone.
 */
export function mayLag({ method, type, access, stream, after }: Operation): boolean {
  return method === 'GET' && type === 'query' && access === 'scoped' && !stream && !after;
}

/** One tool for assistants. */
export interface Tool extends ToolMeta {
  /** Its arguments: one strict object. */
  input: z.ZodObject;
  /** Runs the tool on unvalidated arguments. @throws TRPCError (a Failure, or one that `translate` reads). */
  call: (ctx: RequestContext, input: unknown) => Promise<unknown>;
}

/** A router, as far as the walks below look into it. */
export interface RouterLike {
  _def: { procedures: Parameters<typeof forEachOpenApiProcedure>[0] };
}

/*
 * These two walk a router once, at start-up: the one place that touches the internals of tRPC.
 */

/** The fields of an input; undefined for a schema that no operation can have. */
function fieldsOf(input: unknown, pathParameters: readonly string[]): Operation['fields'] | undefined {
  if (input instanceof z.ZodObject) return input.shape;
  if (!(input instanceof z.ZodDiscriminatedUnion) || pathParameters.length > 0 || !input.meta()?.id) return undefined;
  const shapes = input.options.map((option) => (option instanceof z.ZodObject ? option.shape : undefined));
  return shapes.every((shape) => shape !== undefined) ? Object.assign({}, ...shapes) : undefined;
}

/** The operations of a router. @throws Error for a procedure that lacks what every operation has. */
export function operationsOf(appRouter: RouterLike): Operation[] {
  const operations: Operation[] = [];
  forEachOpenApiProcedure<Meta>(appRouter._def.procedures, ({ path: name, type, procedure, meta }) => {
    const { openapi } = meta;
    const parsers = getInputOutputParsers(procedure);
    const input = parsers.inputParser as Operation['input'];
    const pathParameters = getPathParameters(openapi.path);
    const fields = fieldsOf(input, pathParameters);
    // A stream is described by its events: the output of its procedure is all of them together.
    const output = meta.operation?.stream?.event ?? parsers.outputParser;
    if (!meta.operation || !fields || !(output instanceof z.ZodType) || type === 'subscription') {
      throw new Error(
        `${name} needs op() metadata, an object or a named choice of bodies as input, a schema as output`,
      );
    }
    operations.push({
      ...meta.operation,
      name,
      type,
      summary: openapi.summary ?? '',
      description: openapi.description,
      tag: openapi.tags?.[0] ?? 'meta',
      input,
      fields,
      output,
      pathParameters,
      call: procedureCall(procedure, name, type),
    });
  });
  return operations;
}

/** The tools of a router whose keys are their names, in its order. @throws Error for a procedure that is no tool. */
export function toolsOf(toolRouter: RouterLike): Tool[] {
  return Object.entries(toolRouter._def.procedures).map(([name, entry]) => {
    const procedure = entry as OpenApiProcedure;
    const { meta, type } = procedure._def as unknown as { meta?: Meta; type: Operation['type'] };
    const { inputParser: input } = getInputOutputParsers(procedure);
    if (meta?.tool?.name !== name || !(input instanceof z.ZodObject)) {
      throw new Error(`${name} needs tool() metadata of its name and an object as input`);
    }
    return { ...meta.tool, input, call: procedureCall(procedure, name, type) };
  });
}
