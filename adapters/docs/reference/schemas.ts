import type { oas31 } from 'zod-openapi';

type Schema = oas31.SchemaObject & { $ref?: string | undefined };

/** One field of a request or of an object, as the reference shows it. */
export interface FieldLine {
  name: string;
  /** `string (uuid) or null`, `list of TodoAssignee`. */
  type: string;
  isRequired: boolean;
  /** Markdown. */
  description: string;
  /** Values, default and limits, in words. */
  limits: readonly string[];
  /** Fields of an object inside; empty where `type` names an object that is described elsewhere. */
  fields: readonly FieldLine[];
}

/** What is said about a field besides its type, in Markdown: its description and its limits. */
export function notesOf({ description, limits }: Pick<FieldLine, 'description' | 'limits'>): string {
  const text = limits.join('; ');
  return [description, text && `${text.charAt(0).toUpperCase()}${text.slice(1)}.`].filter(Boolean).join(' ');
}

const prefix = '#/components/schemas/';
/** Objects inside objects are described so deep. */
const maxDepth = 4;

/** Reads the schemas of a document. */
export class Schemas {
  readonly #document: oas31.OpenAPIObject;

  constructor(document: oas31.OpenAPIObject) {
    this.#document = document;
  }

  /** The name of the component that a schema refers to. */
  static nameOf(schema: Schema | undefined): string | undefined {
    return schema?.$ref?.startsWith(prefix) ? schema.$ref.slice(prefix.length) : undefined;
  }

  /** The target of a reference with what stands beside it, or the object itself. */
  resolve<Target extends object>(object: Target): Target {
    const { $ref, ...beside } = object as { $ref?: string };
    if ($ref === undefined) return object;
    const target = $ref
      .slice(2)
      .split('/')
      .reduce((node: unknown, key) => (node as Record<string, unknown>)[key], this.#document);
    return { ...this.resolve(target as Target), ...beside } as Target;
  }

  /** The alternatives of a schema without null. */
  #kinds(schema: Schema): Schema[] {
    const kinds = (schema.anyOf ?? schema.oneOf ?? []) as Schema[];
    return kinds.filter((each) => each.type !== 'null');
  }

  #isNullable({ type, anyOf, oneOf }: Schema): boolean {
    const kinds = (anyOf ?? oneOf ?? []) as Schema[];
    return (Array.isArray(type) && type.includes('null')) || kinds.some((each) => each.type === 'null');
  }

  /** In an answer, objects have their names; in a request their fields are listed below. */
  #typeOf(schema: Schema, isAnswer: boolean): string {
    const named = Schemas.nameOf(schema);
    if (named !== undefined) return isAnswer ? named : this.#typeOf(this.resolve({ ...schema }), isAnswer);
    const end = this.#isNullable(schema) ? ' or null' : '';
    const kinds = this.#kinds(schema);
    if (kinds.length > 0)
      return `${[...new Set(kinds.map((each) => this.#typeOf(each, isAnswer)))].join(' or ')}${end}`;
    const [type = 'any'] = [schema.type ?? []].flat().filter((each) => each !== 'null');
    if (type === 'array') return `list of ${this.#typeOf((schema.items ?? {}) as Schema, isAnswer)}${end}`;
    if ('const' in schema) return `${JSON.stringify(schema.const)}${end}`;
    return `${type}${schema.format === undefined ? '' : ` (${schema.format})`}${end}`;
  }

  #limitsOf(given: Schema): string[] {
    const schema = this.resolve(given);
    const { minimum, maximum, maxLength, maxItems } = schema;
    const items = schema.type === 'array' ? this.resolve((schema.items ?? {}) as Schema).enum : undefined;
    const values = (schema.enum ?? items)?.filter((each: unknown) => each !== null);
    const isRange = minimum !== undefined && maximum !== undefined;
    return [
      ...(values ? [`one of ${values.map((each: unknown) => `\`${each}\``).join(', ')}`] : []),
      ...(isRange ? [`${minimum} to ${maximum}`] : []),
      ...(!isRange && minimum !== undefined ? [`at least ${minimum}`] : []),
      ...(!isRange && maximum !== undefined ? [`at most ${maximum}`] : []),
      ...(maxLength === undefined ? [] : [`at most ${maxLength.toLocaleString('en')} characters`]),
      ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
      ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
    ];
  }

  /** The object inside a field: itself, the item of a list, or the only alternative to null. */
  #inner(schema: Schema): Schema | undefined {
    const open = this.resolve(schema);
    if (open.type === 'array') return open.items ? this.#inner(open.items as Schema) : undefined;
    const [only, ...others] = this.#kinds(open);
    if (only && others.length === 0) return this.#inner(only);
    return open.properties || open.oneOf || open.anyOf ? schema : undefined;
  }

  /** One of several kinds by the field that distinguishes it: `type: "note"`; else by its name. */
  #kindOf(kind: Schema): string {
    const fields = Object.entries(this.resolve(kind).properties ?? {});
    const found = fields.find(([, field]) => 'const' in this.resolve(field as Schema));
    if (!found) return Schemas.nameOf(kind) ?? 'either';
    return `${found[0]}: ${JSON.stringify(this.resolve(found[1] as Schema).const)}`;
  }

  /** One field of this name. Its inner fields are listed to `depth`. */
  line(name: string, schema: Schema, isRequired: boolean, depth = 0, isAnswer = false): FieldLine {
    const inner = this.#inner(schema);
    const isElsewhere = isAnswer && inner && Schemas.nameOf(inner) !== undefined;
    return {
      name,
      type: this.#typeOf(schema, isAnswer),
      isRequired,
      description: this.resolve(schema).description ?? '',
      limits: this.#limitsOf(schema),
      fields: !inner || isElsewhere || depth >= maxDepth ? [] : this.fields(inner, depth + 1, isAnswer),
    };
  }

  /** The fields of an object; of one with several kinds, those of each kind under its name. */
  fields(schema: Schema, depth = 0, isAnswer = false): FieldLine[] {
    const open = this.resolve(schema);
    const kinds = this.#kinds(open);
    if (!open.properties && kinds.length > 0) {
      return kinds.map((kind) => this.line(this.#kindOf(kind), kind, false, depth, isAnswer));
    }
    const required = open.required ?? [];
    return Object.entries(open.properties ?? {}).map(([name, each]) =>
      this.line(name, each as Schema, required.includes(name), depth, isAnswer),
    );
  }

  /** The named objects that can be reached from these, each once, in the order in which they are met. */
  objectsFrom(names: readonly string[]): { name: string; fields: FieldLine[] }[] {
    const met = new Set<string>();
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const name = Schemas.nameOf(node as Schema);
      if (name !== undefined) meet(name);
      for (const [key, value] of Object.entries(node)) if (key !== 'examples' && key !== 'example') visit(value);
    };
    const meet = (name: string) => {
      if (met.has(name)) return;
      met.add(name);
      visit(this.#document.components?.schemas?.[name]);
    };
    names.forEach(meet);
    return [...met].map((name) => ({ name, fields: this.fields({ $ref: `${prefix}${name}` }, 0, true) }));
  }
}
