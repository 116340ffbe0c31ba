import { z } from 'zod';
import type { Operation } from '../../operations.ts';

type Shape = Record<string, z.ZodType>;

/** The input of an operation by where each field travels. */
export interface SplitInput {
  path: z.ZodObject | undefined;
  query: z.ZodObject | undefined;
  body: { schema: z.ZodType; required: boolean } | undefined;
}

function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return isList(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return schema.options.some(isList);
  return schema instanceof z.ZodArray;
}

/** `todoListId` → `todo list`. */
function nounOf(name: string): string {
  return name.replace(/Id$/, '').replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

function pathParameter(name: string, schema: z.ZodType): z.ZodType {
  return schema.meta({ ...schema.meta(), description: schema.description ?? `Id of the ${nounOf(name)}.` });
}

/** A list in the query is one parameter with commas, as the decoder reads it. */
function queryParameter(name: string, schema: z.ZodType): z.ZodType {
  const description = schema.description ?? (name.endsWith('Id') ? `Only those of this ${nounOf(name)}.` : undefined);
  return schema.meta({
    ...schema.meta(),
    ...(description !== undefined && { description }),
    ...(isList(schema) && { param: { style: 'form', explode: false } }),
  });
}

function shapeOf(entries: [string, z.ZodType][]): z.ZodObject | undefined {
  return entries.length > 0 ? z.strictObject(Object.fromEntries(entries) as Shape) : undefined;
}

const bodyMark = '__body';

/** Component names that end so are bodies whose final name is what stands before; see `settleBodyNames`. */
export const markedBody = new RegExp(`${bodyMark}_\\w+$`);

/**
 * The name of a body component: the id of the input schema, else derived from the operationId as SPEC's headings are.
 */
function bodyName({ id, input }: Operation): string {
  const named = input.meta()?.id;
  if (named !== undefined) return named;
  const [, verb, noun] = /^(create|update)([A-Z]\w*)$/.exec(id) ?? [];
  if (verb && noun) return `${noun}${verb[0]?.toUpperCase()}${verb.slice(1)}Params`;
  return `${id[0]?.toUpperCase()}${id.slice(1)}Params`;
}

function bodyOf(operation: Operation, entries: [string, z.ZodType][]): SplitInput['body'] {
  if (entries.length === 0) return undefined;
  const required = entries.some(([, schema]) => !schema.isOptional());
  const { id: named, ...meta } = operation.input.meta() ?? {};
  if (named !== undefined && operation.pathParameters.length === 0) return { schema: operation.input, required };
  // Another schema may have the same name (the same body as a field of a bulk request): zod refuses two schemas with
  // one id.
  const schema = z.strictObject(Object.fromEntries(entries) as Shape);
  return { schema: schema.meta({ ...meta, id: `${bodyName(operation)}${bodyMark}_${operation.id}` }), required };
}

/** Splits the input by the path template and the method, as the REST adapter does with requests. */
export function splitInput(operation: Operation): SplitInput {
  const entries = Object.entries(operation.fields);
  const inPath = entries.filter(([name]) => operation.pathParameters.includes(name));
  const others = entries.filter(([name]) => !operation.pathParameters.includes(name));
  const reads = operation.method === 'GET' || operation.method === 'DELETE';
  return {
    path: shapeOf(inPath.map(([name, schema]) => [name, pathParameter(name, schema)])),
    query: reads ? shapeOf(others.map(([name, schema]) => [name, queryParameter(name, schema)])) : undefined,
    body: reads ? undefined : bodyOf(operation, others),
  };
}
