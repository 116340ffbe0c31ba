import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { oas31 } from 'zod-openapi';
import { type Operation, operationsOf, type RouterLike } from '../adapters/operations.ts';
import { type OpenApiDocument, openApiDocument } from '../adapters/rest/openapi.ts';
import type { Answered, Catalogue, CatalogueOperation, Field, Shape } from '../cli/model/catalogue.ts';
import { appRouter } from '../routers/index.ts';
import { tagDescriptions } from '../routers/introduction.ts';

type Schema = oas31.SchemaObject & { $ref?: string };
type Described = oas31.OperationObject;

/** Reads the schemas of a document, references resolved. */
class Schemas {
  readonly #components: Record<string, unknown>;

  constructor(document: OpenApiDocument) {
    this.#components = (document.components?.schemas ?? {}) as Record<string, unknown>;
  }

  /** The referenced schema, merged with the siblings of the reference. */
  open(schema: Schema): Schema {
    if (!schema.$ref) return schema;
    const { $ref, ...beside } = schema;
    const target = this.#components[$ref.replace('#/components/schemas/', '')] as Schema | undefined;
    if (!target) throw new Error(`The document has no ${$ref}`);
    return { ...this.open(target), ...beside };
  }

  /** The alternatives of a schema without null, and whether null is one of them. */
  #alternatives(schema: Schema): { schema: Schema; isNullable: boolean } {
    const { anyOf, oneOf, ...rest } = schema;
    const several = (anyOf ?? oneOf) as Schema[] | undefined;
    if (!several) {
      const types = Array.isArray(schema.type) ? schema.type : [schema.type];
      const [type] = types.filter((each) => each !== 'null');
      return { schema: { ...schema, type } as Schema, isNullable: types.includes('null') };
    }
    const nonNull = several.filter((each) => each.type !== 'null');
    const [only] = nonNull;
    const isNullable = nonNull.length < several.length;
    // One value or a list of them: flags of choices take several, and a flag that takes names takes one.
    const many = nonNull.find((each) => each.type === 'array');
    if (nonNull.length === 2 && only && many) {
      const form = only.enum ? many : only;
      return { schema: { ...this.open(form), ...rest } as Schema, isNullable };
    }
    if (nonNull.length === 1 && only) return { schema: { ...this.open(only), ...rest } as Schema, isNullable };
    return { schema: { ...rest } as Schema, isNullable };
  }

  shape(given: Schema): Shape {
    const { schema, isNullable } = this.#alternatives(this.open(given));
    const { type, format, description, minimum, maximum, maxLength, properties, items } = schema;
    const values = (schema.const === undefined ? schema.enum : [schema.const])?.filter((each) => each !== null);
    const kind = typeof type === 'string' && type !== 'null' ? (type as Shape['kind']) : 'any';
    const example = schema.examples?.[0];
    return {
      kind,
      ...(format !== undefined && { format }),
      ...(values && { values: values as string[] }),
      ...(isNullable && { isNullable }),
      ...(schema.default !== undefined && { default: schema.default }),
      ...(example !== undefined && { example }),
      ...(description !== undefined && { description }),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      ...(maxLength !== undefined && { maxLength }),
      ...(kind === 'array' && items && { item: this.shape(items as Schema) }),
      ...(kind === 'object' && properties && { fields: this.fields(schema) }),
    };
  }

  fields(given: Schema): Field[] {
    const { properties = {}, required = [], oneOf, discriminator } = this.open(given);
    if (oneOf && discriminator) return this.#mergedFields(oneOf as Schema[], discriminator.propertyName);
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      ...this.shape(schema as Schema),
      ...(required.includes(name) && { isRequired: true as const }),
    }));
  }

  /** Fields of a body with several kinds; a field that only some kinds have lists their values of `discriminator`. */
  #mergedFields(alternatives: Schema[], discriminator: string): Field[] {
    const all = alternatives.map((each) => this.fields(each));
    const kindsOf = (fields: Field[]) => fields.find(({ name }) => name === discriminator)?.values ?? [];
    const names = [...new Set(all.flatMap((fields) => fields.map(({ name }) => name)))];
    return names.map((name) => {
      const having = all.filter((fields) => fields.some((field) => field.name === name));
      const fields = having.flatMap((each) => each.filter((field) => field.name === name));
      const { isRequired, maxLength: _, ...first } = fields[0] as Field;
      // A value may be as long as the kind with the largest limit allows: the service checks that of its kind.
      const lengths = fields.map(({ maxLength }) => maxLength ?? Number.POSITIVE_INFINITY);
      const maxLength = Math.max(...lengths);
      const isNeeded = fields.length === all.length && fields.every((field) => field.isRequired);
      return {
        ...first,
        ...(Number.isFinite(maxLength) && { maxLength }),
        ...(name === discriminator && { values: all.flatMap(kindsOf) }),
        ...(isNeeded && { isRequired: true as const }),
        ...(having.length < all.length && { onlyWith: having.flatMap(kindsOf).map(String) }),
        ...(!isNeeded && isRequired && { isSubject: true as const }),
      };
    });
  }

  /** The resource type of a response, and the names of its fields. */
  answered(given: Schema): Answered {
    const schema = this.open(given);
    const { object, data } = (schema.properties ?? {}) as Record<string, Schema>;
    if (object?.const === 'list' && data) return { ...this.answered(data.items as Schema), isList: true };
    const type = object?.const ?? object?.enum?.[0];
    const fields = Object.keys(schema.properties ?? {});
    return { object: typeof type === 'string' ? type : null, isList: false, fields };
  }
}

function parametersIn(described: Described, place: 'path' | 'query', schemas: Schemas): Field[] {
  const parameters = (described.parameters ?? []) as oas31.ParameterObject[];
  return parameters
    .filter((each) => each.in === place)
    .map(({ name, schema, description, required }) => ({
      name,
      ...schemas.shape(schema as Schema),
      ...(description !== undefined && { description }),
      ...(required && { isRequired: true as const }),
    }));
}

function catalogued(operation: Operation, document: OpenApiDocument, schemas: Schemas): CatalogueOperation {
  const { id, name, tag, method, path, access, scope, keyed, etag, summary, status } = operation;
  const described = document.paths?.[path]?.[method.toLowerCase() as 'get'];
  if (!described) throw new Error(`The document lacks ${id}`);
  const body = (described.requestBody as oas31.RequestBodyObject | undefined)?.content['application/json']?.schema;
  const done = described.responses?.[status] as oas31.ResponseObject | undefined;
  const answer = done?.content?.['application/json']?.schema;
  return {
    ...{ id, name, tag, method, path, access, scope, keyed, etag, summary },
    description: operation.description ?? '',
    waits: operation.after !== null,
    streams: operation.stream !== null,
    isDeprecated: operation.deprecated !== null,
    pathFields: parametersIn(described, 'path', schemas),
    queryFields: parametersIn(described, 'query', schemas),
    bodyFields: body ? schemas.fields(body as Schema) : [],
    answer: answer ? schemas.answered(answer as Schema) : { object: null, isList: false, fields: [] },
  };
}

/** The catalogue of the command-line client: a pure function of the operations' metadata. */
export function catalogueOf(router: RouterLike = appRouter): Catalogue {
  const operations = operationsOf(router);
  const server = { url: '/api/v1' };
  const document = openApiDocument(operations, { version: '1.0.0', server, docsUrl: '/docs' });
  const schemas = new Schemas(document);
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));
  return {
    version: manifest.version,
    groups: tagDescriptions,
    operations: operations.map((operation) => catalogued(operation, document, schemas)),
  };
}
