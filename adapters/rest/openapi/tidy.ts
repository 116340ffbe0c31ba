import { isDeepStrictEqual } from 'node:util';
import type { oas31, ZodOpenApiOverride } from 'zod-openapi';
import { markedBody } from './fields.ts';

/** Keys whose values are data, not description. */
const data = new Set(['example', 'examples', 'default', 'const', 'enum']);

/** Calls `visit` on every object of the document, innermost first. */
function walk(node: unknown, visit: (object: Record<string, unknown>) => void): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) if (Array.isArray(node) || !data.has(key)) walk(value, visit);
  if (!Array.isArray(node)) visit(node as Record<string, unknown>);
}

/**
 * What zod says beyond the contract: answers may gain fields within v1 (SPEC "Versioning"), a format says more than its
 * pattern, and every integer of JSON is a safe one.
 */
export const plainSchema: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'output' && def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};

/** `anyOf: [{type: X}, {type: null}]` as `type: [X, null]`, which generators and readers understand better. */
function plainNull(schema: Record<string, unknown>): void {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isDeepStrictEqual(anyOf[1], { type: 'null' })) return;
  const [{ type, ...rest }] = anyOf as [Record<string, unknown>, unknown];
  if (typeof type !== 'string' || 'const' in rest) return;
  delete schema.anyOf;
  const values = Array.isArray(rest.enum) && { enum: [...rest.enum, null] };
  Object.assign(schema, { type: [type, 'null'], ...rest, ...values, ...schema });
}

/**
 * Beside a reference, `additionalProperties: false` would refuse every field: it knows only those that stand beside it
 * (JSON Schema 2020-12).
 */
function plainReference(object: Record<string, unknown>): void {
  if ('$ref' in object) delete object.additionalProperties;
}

/** The description of a parameter stands beside its schema, not in it again. */
function plainParameter(object: Record<string, unknown>): void {
  const { schema } = object;
  if (!('in' in object) || typeof schema !== 'object' || schema === null) return;
  if ('description' in schema && schema.description === object.description) delete schema.description;
}

/**
 * Gives bodies their final names; one that equals a component of that name is that component. @throws Error when not.
 */
function settleBodyNames(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  for (const marked of Object.keys(schemas)) {
    const name = marked.replace(markedBody, '');
    if (name === marked) continue;
    const body = schemas[marked];
    if (body === undefined) continue;
    const named = schemas[name];
    if (named !== undefined && !isDeepStrictEqual(named, body)) throw new Error(`Two request bodies are named ${name}`);
    schemas[name] = body;
    delete schemas[marked];
  }
  const settled = JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('#/components/schemas/') ? value.replace(markedBody, '') : value,
  );
  return JSON.parse(settled) as oas31.OpenAPIObject;
}

/** Leaves out headers that no operation of this router has, such as those of deprecation. */
function dropUnusedHeaders({ components, paths }: oas31.OpenAPIObject): void {
  const text = JSON.stringify([paths, components?.responses]);
  for (const kind of ['headers', 'parameters'] as const) {
    for (const name of Object.keys(components?.[kind] ?? {})) {
      if (!text.includes(`"#/components/${kind}/${name}"`)) delete components?.[kind]?.[name];
    }
  }
}

/** Makes the generated document plain: see its parts. The document given is changed. */
export function tidy(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  walk(document, (object) => {
    plainNull(object);
    plainReference(object);
    plainParameter(object);
  });
  dropUnusedHeaders(document);
  return settleBodyNames(document);
}
