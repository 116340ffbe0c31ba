import { authorize } from '../domain/access.ts';
import 'zod/compile';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Origin } from '../db/origin.ts';
import type { Context, Principal, RequestContext } from '../domain/context.ts';
import { errorBody, translate } from '../domain/errors.ts';
import { answerOnce, idempotencyKeyOf } from './idempotency.ts';
import { inTurn } from './in-turn.ts';
import type { Meta, OperationMeta } from './metadata.ts';
import { recordFailure, recordSuccess } from './security-events.ts';
import { requireStorable } from './storable.ts';

export { op } from './metadata.ts';

const t = initTRPC
  .meta<Meta>()
  .context<RequestContext>()
  .create({
    errorFormatter: ({ shape, error, ctx }) => {
      const failure = translate(error);
      const problem = errorBody(failure, ctx?.requestId ?? '', `${ctx?.service.publicUrl ?? ''}/docs/errors`);
      return {
        ...shape,
        message: problem.message,
        data: { code: failure.code, httpStatus: problem.status, problem },
      };
    },
  });

export const router = t.router;

/** A procedure without the frame of an operation: the frame of tools is built on it. */
export const bareProcedure = t.procedure;

/**
 * The output of a procedure that answers with a stream: the frame parses its events one by one by the schema in `op({
 * stream })`.
 */
export function streamOf<Event>(): z.ZodType<AsyncIterable<Event>> {
  return z.unknown() as z.ZodType as z.ZodType<AsyncIterable<Event>>;
}

/** The parsed form of each event. One that many streams send is parsed once, and stays the same object. */
const shapedEvents = new WeakMap<object, unknown>();

/** The events of a stream, each parsed by the schema. */
async function* shaped(schema: z.ZodType, events: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const event of events) {
    const known = shapedEvents.get(event as object) ?? schema.parse(event);
    shapedEvents.set(event as object, known);
    yield known;
  }
}

/**
 * The answer of an operation once its work is committed. When the wait fails (the database is gone), the work stays and
 * its own result is the answer.
 */
async function finished(ctx: RequestContext, { id, after, stream }: OperationMeta, data: unknown, input: unknown) {
  if (stream) return shaped(stream.event, data as AsyncIterable<unknown>);
  return after && ctx.principal
    ? after({ ...ctx, principal: ctx.principal, operation: id }, data, input).catch(() => data)
    : data;
}

interface Call {
  ctx: RequestContext;
  meta: Meta | undefined;
  type: 'query' | 'mutation' | 'subscription';
  getRawInput: () => Promise<unknown>;
  /** Its place among the calls of a batch. */
  batchIndex?: number | undefined;
}

/** What the frame adds to the context of a verb. */
type More = Pick<Context, 'db' | 'operation' | 'claim' | 'media'>;

type Outcome = { ok: true; data: unknown } | { ok: false; error: Error };

/**
 * Runs an operation: the checks of scope and storable text, then its `ahead`, input and work under the idempotency key,
 * and its `after` once that is committed.
 */
async function checked<Result extends Outcome>(
  { ctx, type, getRawInput }: Call,
  operation: OperationMeta,
  work: (more: More) => Promise<Result>,
): Promise<Result> {
  authorize(operation, ctx.principal, ctx.badCredential);
  requireStorable(await getRawInput());
  const given = type === 'mutation' && operation.keyed ? ctx.idempotencyKey : undefined;
  const key = given === undefined ? undefined : idempotencyKeyOf(given);
  const { db, media, principal } = ctx;
  const more = { db, media, operation: operation.id };
  const once = async (caller: Principal, name: string) => {
    const input = await getRawInput();
    const ahead = await operation.ahead?.({ ...ctx, principal: caller }, input);
    return answerOnce(ctx, caller, name, operation, input, (tx, claim) => work({ ...more, ...ahead, db: tx, claim }));
  };
  const result = await (key === undefined || !principal ? work(more) : once(principal, key));
  if (!result.ok || !(operation.after || operation.stream)) return result;
  return { ...result, data: await finished(ctx, operation, result.data, await getRawInput()) };
}

/** The call of a change with an origin of its own, because calls of a batch run side by side. */
function ownCall(call: Call): Call {
  const { db } = call.ctx;
  return { ...call, ctx: { ...call.ctx, db: db.as({ ...db.origin, eventId: undefined }) } };
}

/**
 * Runs a change that has an origin of its own, whose last event is that of this call alone. `request` is the origin of
 * the request: that something was recorded is noted there too, even if the call failed after a commit.
 */
async function recorded<Result extends Outcome>(
  { ctx, batchIndex = 0 }: Call,
  request: Origin,
  run: () => Promise<Result>,
): Promise<Result> {
  const { origin } = ctx.db;
  try {
    const result = await run();
    if (result.ok && origin.eventId !== undefined) {
      ctx.reply.eventIds ??= [];
      ctx.reply.eventIds[batchIndex] = origin.eventId;
    }
    return result;
  } finally {
    request.hasRecorded ||= origin.hasRecorded;
  }
}

/**
 * The answer of a read from the standby that its client accepts. Undefined where the primary has to answer, and after
 * any error: what a standby does not find may be newer than its data.
 */
async function readFromStandby<Result extends Outcome>(
  call: Call,
  run: (call: Call) => Promise<Result>,
): Promise<Result | undefined> {
  const { standby, reply } = call.ctx;
  if (!standby || call.type !== 'query') return undefined;
  try {
    const result = await run({ ...call, ctx: { ...call.ctx, db: standby.db } });
    if (!result.ok) return undefined;
    standby.answered();
    reply.ageSeconds = Math.ceil(standby.ageMs / 1000);
    return result;
  } catch {
    return undefined;
  }
}

/** The checks and the work of an operation, and the record of what security depends on. */
async function secured<Result extends Outcome>(
  given: Call,
  operation: OperationMeta,
  work: (more: More) => Promise<Result>,
): Promise<Result> {
  const isChange = given.type === 'mutation';
  const call = isChange ? ownCall(given) : given;
  const run = (with_: Call) => checked(with_, operation, work);
  try {
    const result = isChange
      ? await recorded(call, given.ctx.db.origin, () => run(call))
      : ((await readFromStandby(call, run)) ?? (await run(call)));
    if (result.ok) recordSuccess(call.ctx, operation, isChange, result.data);
    else recordFailure(call.ctx, operation, isChange, result.error);
    return result;
  } catch (error) {
    recordFailure(call.ctx, operation, isChange, error);
    throw error;
  }
}

/** The frame of every operation, which is measured as a whole. */
function framed<Result extends Outcome>(call: Call, work: (more: More) => Promise<Result>): Promise<Result> {
  const operation = call.meta?.operation;
  if (!operation) throw new Error('A procedure without op() metadata');
  const run = () => call.ctx.observe({ kind: 'operation', name: operation.id }, () => secured(call, operation, work));
  return operation.heavy === 'inTurn' ? inTurn(call.ctx.reply, run) : run();
}

/** For operations that anybody may call: `principal` is null without a credential. */
export const publicProcedure = t.procedure.use((call) => framed(call, (more) => call.next({ ctx: more })));

/** For operations that need a credential: `principal` is never null. */
export const procedure = t.procedure.use((call) =>
  framed(call, (more) => call.next({ ctx: { ...more, principal: authenticated(call.ctx) } })),
);

/** @throws Error when an operation that anybody may call was built on `procedure` instead of `publicProcedure`. */
export function authenticated({ principal }: RequestContext): Principal {
  if (!principal) throw new Error('This operation is public: build it on publicProcedure');
  return principal;
}
