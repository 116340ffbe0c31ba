import { z } from 'zod';
import type { Operation } from '../operations.ts';

type Decoder = (value: unknown) => unknown;

/** The schema below optional, default and nullable. */
function core(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return core(schema.unwrap());
  }
  return schema;
}

function decoderFor(schema: unknown): Decoder {
  const kind = core(schema);
  if (kind instanceof z.ZodNumber) {
    return (value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value);
  }
  if (kind instanceof z.ZodBoolean) return (value) => (value === 'true' ? true : value === 'false' ? false : value);
  if (kind instanceof z.ZodArray) {
    const element = decoderFor(kind.element);
    return (value) => (typeof value === 'string' ? value.split(',').map(element) : value);
  }
  if (kind instanceof z.ZodUnion) {
    const list = kind.options.find((option) => option instanceof z.ZodArray);
    return (value) => (list && typeof value === 'string' && value.includes(',') ? decoderFor(list)(value) : value);
  }
  return (value) => value;
}

/**
 * Decodes a query string by the type of each field, before validation. A value that cannot be decoded stays a string,
 * which the schema refuses. Unknown parameters are dropped, or kept for the schema to refuse if the query is strict.
 */
export function queryDecoder(operation: Operation): (query: Record<string, unknown>) => Record<string, unknown> {
  const decoders = new Map<string, Decoder>();
  for (const [name, schema] of Object.entries(operation.fields)) {
    if (!operation.pathParameters.includes(name)) decoders.set(name, decoderFor(schema));
  }
  return (query) => {
    const decoded: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(query)) {
      const decode = decoders.get(name);
      if (decode) decoded[name] = decode(value);
      else if (operation.strictQuery && !operation.pathParameters.includes(name)) decoded[name] = value;
    }
    return decoded;
  };
}

/** Names of the query parameters of a GET or DELETE operation. */
export function queryParameters(operation: Operation): string[] {
  return Object.keys(operation.fields).filter((name) => !operation.pathParameters.includes(name));
}
