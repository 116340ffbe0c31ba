import { createHash } from 'node:crypto';
import type { oas31 } from 'zod-openapi';

type Schema = oas31.SchemaObject | oas31.ReferenceObject;

const instant = '2026-03-01T09:00:00.000Z';

/** The sample id of a kind of resource: the same wherever the document mentions one. A valid UUIDv7. */
function sampleId(kind: string): string {
  const hash = createHash('sha256').update(kind).digest('hex');
  const time = Date.parse(instant).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

/** `todoListId`, `todo_list` → `todo list`. */
function kindOf(name: string): string {
  return name
    .replace(/Ids?$/, '')
    .replace(/_/g, ' ')
    .replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

function textOf({ format, minLength = 0 }: oas31.SchemaObject, name: string, owner: string): string {
  if (format === 'uuid') return sampleId(name === 'id' ? owner : kindOf(name));
  if (format === 'date-time') return instant;
  if (format === 'date') return instant.slice(0, 10);
  if (format === 'uri') return 'https://tandem.test/';
  return kindOf(name).padEnd(minLength, '…');
}

/** Examples out of the schemas of a document: from their `examples`, else plausible values of their kind. */
export class Examples {
  readonly #schemas: Record<string, Schema>;

  constructor(document: oas31.OpenAPIObject) {
    this.#schemas = document.components?.schemas ?? {};
  }

  #resolve(schema: Schema): oas31.SchemaObject {
    const { $ref, ...beside } = schema;
    if ($ref === undefined) return schema as oas31.SchemaObject;
    const name = $ref.replace('#/components/schemas/', '');
    const target = this.#schemas[name];
    if (!target) throw new Error(`No component ${name}`);
    return { ...this.#resolve(target), ...beside };
  }

  /** A body to send: what is required, and what has an example of its own. */
  request(schema: Schema): unknown {
    return this.#value(schema, '', '', true);
  }

  /** An answer, whole. */
  response(schema: Schema): unknown {
    return this.#value(schema, '', '', false);
  }

  parameter(schema: Schema, name: string): unknown {
    return this.#value(schema, name, '', false);
  }

  #value(given: Schema, name: string, owner: string, sparse: boolean): unknown {
    const schema = this.#resolve(given);
    const type = Array.isArray(schema.type) ? schema.type : [schema.type];
    // The example of an instant is that of the shared schema: where it may be absent, absence is the plausible value.
    if (type.includes('null') && (!schema.examples?.length || schema.format === 'date-time')) return null;
    if (schema.examples?.length) return schema.examples[0];
    if ('const' in schema) return schema.const;
    if (schema.enum?.length) return schema.enum[0];
    const options = schema.anyOf ?? schema.oneOf;
    if (options) {
      const empty = options.find((option) => this.#resolve(option).type === 'null');
      const first = empty ?? options[0];
      return first === undefined ? null : this.#value(first, name, owner, sparse);
    }
    if (type[0] === 'object') return this.#object(schema, owner, sparse);
    if (type[0] === 'array') return schema.items ? [this.#value(schema.items, name, owner, sparse)] : [];
    if (type[0] === 'string') return textOf(schema, name, owner);
    if (type[0] === 'boolean') return schema.default ?? false;
    if (type[0] === 'integer' || type[0] === 'number') return schema.default ?? schema.minimum ?? 0;
    return null;
  }

  #object({ properties = {}, required = [] }: oas31.SchemaObject, owner: string, sparse: boolean) {
    const kind = properties.object && this.#resolve(properties.object).const;
    const self = typeof kind === 'string' ? kindOf(kind) : owner;
    const shown = Object.entries(properties).filter(
      ([name, schema]) => required.includes(name) || (sparse && this.#resolve(schema).examples?.length),
    );
    return Object.fromEntries(shown.map(([name, schema]) => [name, this.#value(schema, name, self, sparse)]));
  }
}
