import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../../routers/base.ts';
import { errorBody, Failure, invalid, translate } from '../../routers/errors.ts';

/** 413: the body has more bytes than this. */
export function tooLarge(bodyLimit: number): Failure {
  const message = `The body is larger than ${bodyLimit / 2 ** 20} MiB. Send less at once.`;
  return new Failure({ status: 413, code: 'validation_failed', message });
}

/** 415: the body is not declared as JSON. */
export function unsupportedMediaType(): Failure {
  const message = 'Send the body as JSON, with Content-Type: application/json.';
  return new Failure({ status: 415, code: 'validation_failed', message });
}

/** What Fastify itself refuses, in our words. */
function refusedByServer(error: FastifyError, request: FastifyRequest): Failure {
  if (error.code === 'FST_ERR_BAD_URL') return invalid(null, 'The address is not percent-encoded as it should be.');
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

/** Whatever was thrown, as a failure. What nobody expected is logged with its cause. */
export function failureOf(error: FastifyError | Error, request: FastifyRequest): Failure {
  const failure = error instanceof Failure ? error : refusedByServer(error as FastifyError, request);
  if (failure.problem.status >= 500) request.log.error({ err: failure.cause ?? failure }, 'request failed');
  return failure;
}

/** Answers whatever was thrown, in the one envelope. */
export function answerError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  service: ServiceSettings,
) {
  return sendFailure(request, reply, failureOf(error, request), service.publicUrl);
}

/** Errors and unknown routes of the whole server, in the one envelope. */
export function handleFailures(app: FastifyInstance, service: ServiceSettings): void {
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, service));
  app.setNotFoundHandler((request, reply) => {
    const message = 'There is nothing at this address. The operations are listed in /api/v1/openapi.json.';
    return sendFailure(
      request,
      reply,
      new Failure({ status: 404, code: 'resource_not_found', message }),
      service.publicUrl,
    );
  });
}

/**
 * JSON bodies: valid UTF-8 only, an empty body is no body. `__proto__` is an own property like any other, which the
 * strict schemas refuse by name: what handles a body before its schema does must define properties, not assign them.
 */
export function parseJson(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\b/, { parseAs: 'buffer' }, (_, body, done) => {
    let text: string;
    try {
      text = utf8.decode(body as Buffer);
    } catch {
      return done(invalid(null, 'The body must be valid UTF-8.'));
    }
    if (text.trim() === '') return done(null, undefined);
    try {
      return done(null, JSON.parse(text));
    } catch {
      return done(invalid(null, 'The body is not valid JSON. Check its quotes, commas and brackets.'));
    }
  });
}
