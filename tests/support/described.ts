import type { oas31 } from 'zod-openapi';
import { operationsOf } from '../../adapters/operations.ts';
import type { CodeSample } from '../../adapters/rest/openapi/samples.ts';
import { appRouter } from '../../routers/index.ts';
import { committedDocument } from '../../scripts/generate.ts';

export const operations = operationsOf(appRouter);
export const document = committedDocument();

/** An operation as the document has it. */
export interface Described extends oas31.OperationObject {
  responses: Record<string, oas31.ResponseObject & oas31.ReferenceObject>;
}

/** The operations of the document by `METHOD /path`. */
export const described = new Map<string, Described>();
for (const [path, item] of Object.entries(document.paths ?? {})) {
  for (const [method, value] of Object.entries(item)) described.set(`${method.toUpperCase()} ${path}`, value);
}

export function describedAs({ method, path }: { method: string; path: string }): Described {
  const found = described.get(`${method} ${path}`);
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
}

/** The source of the sample of an operation with this label. */
export function sampleOf(operation: { method: string; path: string }, label: CodeSample['label']): string {
  const all = (describedAs(operation) as unknown as { 'x-codeSamples': CodeSample[] })['x-codeSamples'];
  return all.find((each) => each.label === label)?.source ?? '';
}

/** The target of a reference into the components, or the object itself. */
export function resolved<Target>(object: Target | oas31.ReferenceObject): Target {
  const ref = (object as oas31.ReferenceObject).$ref;
  if (ref === undefined) return object as Target;
  return ref
    .slice(2)
    .split('/')
    .reduce((node: never, key) => node[key], document as never);
}
