import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal, RequestContext, ServiceSettings } from '../domain/context.ts';
import { errorBody, Failure, invalid, translate } from '../domain/errors.ts';
import { defaultMaxBody } from '../routers/metadata.ts';
import { hasTooManyValues, maxJsonValues } from './json-values.ts';
import type { UnknownPage } from './pages/mount.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null without a valid credential. Set by the gate before any route runs. */
    principal: Principal | null;
    /** A bearer was sent, and it is no valid credential. */
    badCredential: boolean;
    /** SHA-256 of the client's address in hexadecimal digits, of one that the gate counted. */
    addressDigits: string;
  }
}

/** Builds the context of one request; given by the process, which owns the database and the settings. */
export type ContextFor = (request: FastifyRequest, reply: FastifyReply) => RequestContext;

const routes = new WeakMap<FastifyRequest, string>();

/** Notes the pattern of the path of a request that no route takes. */
export function noteRoute(request: FastifyRequest, pattern: string): void {
  routes.set(request, pattern);
}

/**
 * The pattern of the path of a request, `unknown` if there is none. The path itself may contain tokens, and what people
 * typed.
 */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? routes.get(request) ?? 'unknown';
}

/** Bytes as people read them, such as `4 MiB`. */
export function mebibytes(bytes: number): string {
  return `${bytes / 2 ** 20} MiB`;
}

/** 413: the body has more bytes than this. */
export function tooLarge(bodyLimit: number): Failure {
  const message = `The body is larger than ${mebibytes(bodyLimit)}. Send less at once.`;
  return new Failure({ status: 413, code: 'validation_failed', message });
}

/** Bytes of the bodies that are larger than most operations take. */
const largeBodies = new WeakMap<FastifyRequest, number>();

/** Bytes of the JSON body of a request that is larger than `defaultMaxBody`; 0 of any other. */
export function largeBodyBytes(request: FastifyRequest): number {
  return largeBodies.get(request) ?? 0;
}

/** 415: the body is not declared as JSON. */
export function unsupportedMediaType(): Failure {
  const message = 'Send the body as JSON, with Content-Type: application/json.';
  return new Failure({ status: 415, code: 'validation_failed', message });
}

/** What Fastify itself refuses, as our failure. */
function refusedByServer(error: FastifyError, request: FastifyRequest): Failure {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(request.routeOptions.bodyLimit ?? 0);
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType();
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return invalid(null, 'The request could not be read. Check its syntax.');
  }
  return translate(error);
}

/** Whether `Accept` names problem details (RFC 9457), other than to refuse them. */
function wantsProblem(accept = ''): boolean {
  return /application\/problem\+json(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept);
}

/** The error object of a failure. Its status and headers are set on the reply. */
export function describeFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure, publicUrl: string) {
  const { status, headers = {}, retryAfterSeconds } = failure.problem;
  if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
  reply.headers(headers).code(status);
  return errorBody(failure, request.id, `${publicUrl}/docs/errors`);
}

/** Sends an error as CONTRACT §2 has it: one object, as problem details when `Accept` asks for them. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure, publicUrl: string) {
  const body = describeFailure(request, reply, failure, publicUrl);
  const problem = wantsProblem(request.headers.accept);
  reply.header('Content-Type', problem ? 'application/problem+json' : 'application/json; charset=utf-8');
  return reply.send(JSON.stringify(body));
}

/** Any thrown value as a failure. An unexpected error is logged with its cause. */
export function failureOf(error: FastifyError | Error, request: FastifyRequest): Failure {
  const failure = error instanceof Failure ? error : refusedByServer(error as FastifyError, request);
  if (failure.problem.status >= 500) request.log.error({ err: failure.cause ?? failure }, 'request failed');
  return failure;
}

/** Sends any thrown value as the error object. */
export function answerError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  service: ServiceSettings,
) {
  return sendFailure(request, reply, failureOf(error, request), service.publicUrl);
}

/** Errors and unknown routes of the whole server, in the one envelope; a browser gets a page at unknown addresses. */
export function handleFailures(app: FastifyInstance, service: ServiceSettings, unknownPage?: UnknownPage): void {
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, service));
  app.setNotFoundHandler((request, reply) => {
    if (unknownPage?.(request, reply)) return reply;
    const message = 'There is nothing at this address. The operations are listed in /api/v1/openapi.json.';
    return sendFailure(
      request,
      reply,
      new Failure({ status: 404, code: 'resource_not_found', message }),
      service.publicUrl,
    );
  });
}

/** 400: the body is no JSON text. MCP has an error of its own for it. */
export class UnreadableBody extends Failure {
  constructor(message: string) {
    super(invalid(null, message).problem);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The text of a JSON body. @throws Failure 400 for invalid UTF-8, and for more values than are read. */
export function jsonTextOf(body: Buffer): string {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new UnreadableBody('The body must be valid UTF-8.');
  }
  if (hasTooManyValues(body)) throw invalid(null, `The body has more than ${maxJsonValues} values. Send less at once.`);
  return text;
}

/** The value of a JSON body; undefined for an empty one. @throws Failure 400. */
function jsonValueOf(body: Buffer): unknown {
  const text = jsonTextOf(body);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableBody('The body is not valid JSON. Check its quotes, commas and brackets.');
  }
}

/** Reads bodies of a media type by `read`, whose failures are the answer. */
export function readBodies(app: FastifyInstance, type: string | RegExp, read: (body: Buffer) => unknown): void {
  app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length > defaultMaxBody) largeBodies.set(request, body.length);
    let value: unknown;
    try {
      value = read(body as Buffer);
    } catch (error) {
      return done(error as Failure);
    }
    return done(null, value);
  });
}

/**
 * JSON bodies: valid UTF-8 only; an empty body counts as no body. `__proto__` is an own property like any other, which
 * the strict schemas refuse by name. So code that handles a body before its schema does must define properties, not
 * assign them.
 */
export function parseJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  readBodies(app, /^application\/(?:[\w.-]+\+)?json\b/, jsonValueOf);
}
