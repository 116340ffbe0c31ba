import { z } from 'zod';

/*
 * Prints zod schemas as TypeScript types. Schemas with an id become named interfaces or types, which the printer
 * collects.
 */

/** Whether a type is what a caller gives (defaults are optional) or what the service returns. */
export type Direction = 'input' | 'output';

interface Named {
  schema: z.ZodType;
  direction: Direction;
  text: string;
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** A schema of zod's own classes, which have `meta` and `parse`. */
const asType = (schema: z.core.$ZodType) => schema as z.ZodType;

/** A doc comment, indented; empty without text. */
export function docComment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join('\n');
}

/** A member of an object type, with its name quoted where necessary. */
export function member(name: string, isOptional: boolean, type: string, indent: string): string {
  const key = identifier.test(name) ? name : JSON.stringify(name);
  return isOptional && type !== 'unknown'
    ? `${indent}${key}?: ${type} | undefined;\n`
    : `${indent}${key}${isOptional ? '?' : ''}: ${type};\n`;
}

/** Collects the named types of the schemas that it prints. */
export class TypePrinter {
  readonly #named = new Map<string, Named>();
  readonly #taken: ReadonlySet<string>;

  /** `taken`: names that other declarations have. */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The declarations of all named types, by name. */
  declarations(): string[] {
    const sorted = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, { text }]) => text);
  }

  /** The type of a schema. @throws Error for a schema that JSON cannot carry. */
  type(schema: z.ZodType, direction: Direction, indent = ''): string {
    const id = schema.meta()?.id;
    return id === undefined ? this.structure(schema, direction, indent) : this.#reference(id, schema, direction);
  }

  /** The name of a schema with an id. @throws Error when two schemas with one id have different types. */
  #reference(id: string, schema: z.ZodType, direction: Direction): string {
    const known = this.#named.get(id);
    if (known?.schema === schema && known.direction === direction) return id;
    const text = this.#declaration(id, schema, direction);
    if (this.#taken.has(id) || (known && known.text !== text))
      throw new Error(`Two types of the client are named ${id}`);
    this.#named.set(id, { schema, direction, text });
    return id;
  }

  #declaration(name: string, schema: z.ZodType, direction: Direction): string {
    const comment = docComment(schema.description, '');
    const text = this.structure(schema, direction);
    const isInterface = schema instanceof z.ZodObject && text.startsWith('{');
    return `${comment}${isInterface ? `export interface ${name} ${text}` : `export type ${name} = ${text};`}\n`;
  }

  /** The type of a schema, without the name that its id gives it. */
  structure(schema: z.ZodType, direction: Direction, indent = ''): string {
    const inner = (other: z.core.$ZodType) => this.type(asType(other), direction, indent);
    if (schema instanceof z.ZodObject) return this.#object(schema, direction, indent);
    if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return 'string';
    if (schema instanceof z.ZodNumber) return 'number';
    if (schema instanceof z.ZodBoolean) return 'boolean';
    if (schema instanceof z.ZodNull) return 'null';
    if (schema instanceof z.ZodUnknown) return 'unknown';
    if (schema instanceof z.ZodLiteral) return [...schema.values].map((each) => JSON.stringify(each)).join(' | ');
    if (schema instanceof z.ZodEnum) return schema.options.map((each) => JSON.stringify(each)).join(' | ');
    if (schema instanceof z.ZodNullable) return `${inner(schema.unwrap())} | null`;
    if (schema instanceof z.ZodArray) return `Array<${inner(schema.element)}>`;
    if (schema instanceof z.ZodRecord) return `Record<string, ${inner(schema.valueType)}>`;
    if (schema instanceof z.ZodUnion) return schema.options.map(inner).join(' | ');
    if (schema instanceof z.ZodOptional) return `${inner(schema.unwrap())} | undefined`;
    if (schema instanceof z.ZodDefault) {
      const type = inner(schema.unwrap());
      return direction === 'input' ? `${type} | undefined` : type;
    }
    throw new Error(`The client's declarations cannot express a schema of type ${schema.def.type}`);
  }

  #object(schema: z.ZodObject, direction: Direction, indent: string): string {
    const deeper = `${indent}  `;
    const fields = Object.entries(schema.shape).map(([name, given]) => {
      const field = asType(given);
      const mayLack = field instanceof z.ZodOptional || (direction === 'input' && field instanceof z.ZodDefault);
      const value = mayLack ? asType((field as z.ZodOptional | z.ZodDefault).unwrap()) : field;
      // JSON leaves out what is undefined, which a value of unknown type may be.
      const isOptional = mayLack || (direction === 'output' && value instanceof z.ZodUnknown);
      const description = field.description ?? value.description;
      return docComment(description, deeper) + member(name, isOptional, this.type(value, direction, deeper), deeper);
    });
    const { catchall } = schema.def;
    if (catchall && !(catchall instanceof z.ZodNever)) {
      fields.push(`${deeper}[name: string]: ${this.type(asType(catchall), direction, deeper)};\n`);
    }
    return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}${indent}}`;
  }
}
