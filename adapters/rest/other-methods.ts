import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { Failure } from '../../domain/errors.ts';
import { noteRoute } from '../http.ts';
import type { Operation } from '../operations.ts';

/*
 * A known path with another method is 405 with `Allow`. These paths are not routes: they would be four times as many as
 * the operations, and take a third of the processor time of a start. Most are found when no route matches.
 */

type Pattern = Pick<Operation, 'method' | 'path'>;

const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** A path of operations, as steps and as a route. */
interface KnownPath {
  steps: readonly string[];
  url: string;
  methods: readonly HTTPMethods[];
}

const isParameter = (step: string | undefined) => step?.startsWith(':') === true;

/** Whether some path fits both. */
function overlap(one: KnownPath, other: KnownPath): boolean {
  if (one.steps.length !== other.steps.length) return false;
  return one.steps.every((step, at) => step === other.steps[at] || isParameter(step) || isParameter(other.steps[at]));
}

/** The paths of operations in the order in which a route is found: those with more words and fewer parameters first. */
function pathsOf(operations: readonly Pattern[]): KnownPath[] {
  const byUrl = new Map<string, HTTPMethods[]>();
  for (const { method, path } of operations) {
    const url = path.replace(/\{(\w+)\}/g, ':$1');
    byUrl.set(url, [...(byUrl.get(url) ?? []), method]);
  }
  const paths = [...byUrl].map(([url, known]) => {
    if (known.includes('GET')) known.push('HEAD');
    return { steps: url.split('/'), url, methods: known };
  });
  const shape = ({ steps }: KnownPath) => steps.map((step) => (isParameter(step) ? '1' : '0')).join('');
  return paths.toSorted((one, other) => (shape(one) < shape(other) ? -1 : 1));
}

function refusal({ methods: known }: KnownPath): Failure {
  const allow = known.join(', ');
  const message = `This path supports ${allow}.`;
  return new Failure({ status: 405, code: 'validation_failed', message, headers: { Allow: allow } });
}

/** A step of the path of a request. One that cannot be decoded is no route's. */
function decoded(step: string): string {
  if (!step.includes('%')) return step;
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The steps below the prefix; the prefix alone is the path `/`. */
function stepsOf(url: string): string[] {
  const [path] = url.split(/[?#]/);
  return (path || '/').split('/').map(decoded);
}

/**
 * Finds known paths below `prefix` where no route takes the method, for what names requests by their routes. Returns
 * what adds the refusal: after the gate, which counts the request.
 */
export function findOtherMethods(app: FastifyInstance, operations: readonly Pattern[], prefix: string): () => void {
  const paths = pathsOf(operations);
  const find = ({ method, url }: FastifyRequest): KnownPath | undefined => {
    if (!url.startsWith(prefix) || !methods.includes(method)) return undefined;
    const given = stepsOf(url.slice(prefix.length));
    const fits = ({ steps }: KnownPath) =>
      steps.length === given.length && steps.every((step, at) => isParameter(step) || step === given[at]);
    return paths.find(fits);
  };
  const found = new WeakMap<FastifyRequest, KnownPath>();
  app.addHook('onRequest', (request, _, done) => {
    const path = request.is404 ? find(request) : undefined;
    if (path) {
      found.set(request, path);
      noteRoute(request, `${prefix}${path.url === '/' ? '' : path.url}`);
    }
    done();
  });
  return () => {
    app.addHook('onRequest', (request, _, done) => {
      const path = request.is404 ? found.get(request) : undefined;
      if (path) done(refusal(path));
      else done();
    });
  };
}

/**
 * Mounts a route for each known path with another method if a path with more parameters would match it: `PATCH
 * /todos/summary` must not change a todo.
 */
export function mountOtherMethods(app: FastifyInstance, operations: readonly Pattern[]): void {
  const mounted: KnownPath[] = [];
  for (const path of pathsOf(operations).reverse()) {
    const taken = mounted.filter((other) => overlap(path, other)).flatMap((other) => other.methods);
    const method = methods.filter((each) => taken.includes(each) && !path.methods.includes(each));
    mounted.push({ ...path, methods: [...path.methods, ...method] });
    if (method.length === 0) continue;
    app.route({
      method,
      url: path.url,
      onRequest: async () => {
        throw refusal(path);
      },
      handler: () => {},
    });
  }
}
