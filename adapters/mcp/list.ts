import { z } from 'zod';
import { type RouterLike, type Tool, toolsOf } from '../operations.ts';

type Json = Record<string, unknown>;

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Json & { type: 'object' };
  annotations: { readOnlyHint: boolean; destructiveHint: false; idempotentHint?: true; openWorldHint: false };
}

/** Drops what a model pays for and does not need: see each line. */
function trim({ jsonSchema }: { jsonSchema: Json }): void {
  if ('format' in jsonSchema) delete jsonSchema.pattern; // The format says it shorter.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum; // The bounds of every z.int().
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.examples;
  delete jsonSchema.id; // A component of the REST document.
}

/** The schema with every `$ref` to its own `$defs` replaced by what it names. */
function inlined(value: unknown, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, $defs: _, ...rest } = value as Json;
  const named = typeof $ref === 'string' ? definitions[$ref.replace('#/$defs/', '')] : undefined;
  const entries = Object.entries({ ...(named as Json | undefined), ...rest });
  return Object.fromEntries(entries.map(([key, each]) => [key, inlined(each, definitions)]));
}

function inputSchemaOf(input: z.ZodObject): ListedTool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', override: trim });
  const whole = inlined(schema, (schema.$defs ?? {}) as Json) as Json;
  return { ...whole, type: 'object', additionalProperties: false };
}

/** A tool as `tools/list` shows it: its arguments as JSON Schema 2020-12, its hints as annotations. */
export function listedTool({ name, title, description, input, readOnly, idempotent }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: false,
      ...(idempotent && { idempotentHint: true as const }),
      openWorldHint: false,
    },
  };
}

/** All tools of the router as a credential with every scope sees them: the content of `tools.json`. */
export function toolList(toolRouter: RouterLike): ListedTool[] {
  return toolsOf(toolRouter).map(listedTool);
}
