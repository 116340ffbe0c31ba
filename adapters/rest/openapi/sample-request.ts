import type { oas31 } from 'zod-openapi';
import type { Operation } from '../../operations.ts';

type Fields = Record<string, unknown>;

/** The request that the code samples of an operation send. */
export interface SampleRequest {
  path: Fields;
  query: Fields;
  /** Undefined where the operation takes no body, or needs none. */
  body: Fields | undefined;
}

function pick(fields: Fields, isPicked: (name: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isPicked(name)));
}

/** The fields of `op({ sample })` that travel in the body; undefined where the operation has no sample of its own. */
export function sampleBody({ sample, method, pathParameters }: Operation): Fields | undefined {
  if (!sample || method === 'GET' || method === 'DELETE') return undefined;
  return pick(sample, (name) => !pathParameters.includes(name));
}

/** A request made of `op({ sample })` and the examples of the described operation. */
export function sampleRequest(operation: Operation, described: oas31.OperationObject): SampleRequest {
  const { sample, method, pathParameters } = operation;
  const parameters = (described.parameters ?? []).filter(
    (each): each is oas31.ParameterObject => 'in' in each && each.example !== undefined,
  );
  const examples = (place: string) =>
    Object.fromEntries(parameters.filter((each) => each.in === place).map(({ name, example }) => [name, example]));
  const own = sample ?? {};
  const isInPath = (name: string) => pathParameters.includes(name);
  const reads = method === 'GET' || method === 'DELETE';
  const body = (described.requestBody as oas31.RequestBodyObject | undefined)?.content['application/json']?.example;
  const isEmpty = body === undefined || Object.keys(body as Fields).length === 0;
  return {
    path: { ...examples('path'), ...pick(own, isInPath) },
    query: { ...examples('query'), ...(reads && pick(own, (name) => !isInPath(name))) },
    body: isEmpty ? undefined : (body as Fields),
  };
}
