import { readFile } from 'node:fs/promises';
import { initTRPC, TRPCError } from '@trpc/server';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { procedureCall } from '../../adapters/procedure-call.ts';
import type { RequestContext } from '../../domain/context.ts';
import { appRouter } from '../../routers/index.ts';
import { toolRouter } from '../../routers/tools/index.ts';

/*
 * adapters/procedure-call.ts relies on internals of tRPC (docs/decisions/0024). When one of these tests fails after an
 * upgrade, compare `callRecursive` and `createResolver` of the new version with that file.
 */

const test = suite('procedure calls without tRPC’s caller');

const provenVersion = '11.25.2';

interface Context {
  name: string;
  seen: string[];
}

const t = initTRPC.context<Context>().meta<{ label: string }>().create();

const base = t.procedure.use(({ ctx, meta, path, type, input, next }) => {
  ctx.seen.push(`${meta?.label} ${path} ${type} ${JSON.stringify(input)}`);
  return next({ ctx: { greeting: `Hello ${ctx.name}` } });
});

const router = t.router({
  works: base
    .meta({ label: 'query' })
    .input(z.strictObject({ count: z.int().default(2) }))
    .output(z.object({ text: z.string(), count: z.int() }))
    .query(({ ctx, input }) => ({ text: ctx.greeting, count: input.count, secret: 'dropped by the output schema' })),
  changes: base
    .meta({ label: 'mutation' })
    .input(z.strictObject({ count: z.int() }))
    .input(z.object({ more: z.string() }))
    .use(async ({ ctx, input, getRawInput, next }) => {
      ctx.seen.push(JSON.stringify([input, await getRawInput()]));
      const result = await next();
      ctx.seen.push(`ok ${result.ok}`);
      return result;
    })
    .mutation(({ input }) => input),
  replaced: base.use(async ({ next }) => ({ ...(await next()), data: 'replaced' }) as never).query(() => 'original'),
  swallowed: base
    .use(async ({ ctx, next }) => {
      const result = await next();
      if (!result.ok) ctx.seen.push(`${result.error.code} ${result.error.message}`);
      return result;
    })
    .mutation(() => {
      throw new TypeError('unexpected');
    }),
  refused: base.mutation(() => {
    throw new TRPCError({ code: 'CONFLICT', message: 'taken' });
  }),
  stopped: base
    .use(() => {
      throw new TRPCError({ code: 'FORBIDDEN', message: 'stopped' });
    })
    .query(() => 'never'),
  badOutput: base.output(z.object({ text: z.string() })).query(() => ({ text: 1 }) as never),
});

type Name = keyof typeof router & keyof typeof router._def.procedures;

async function outcomeOf(call: (ctx: Context) => Promise<unknown>) {
  const ctx: Context = { name: 'Ada', seen: [] };
  try {
    return { data: await call(ctx), seen: ctx.seen };
  } catch (error) {
    assert.instance(error, TRPCError);
    const { code, message, cause } = error as TRPCError;
    return { code, message, cause: cause?.constructor.name, causeMessage: cause?.message, seen: ctx.seen };
  }
}

/** What our call and tRPC’s own caller make of the same input. */
async function both(name: Name, input: unknown) {
  const procedure = router._def.procedures[name];
  const { type } = procedure._def as unknown as { type: 'query' | 'mutation' };
  const ours = procedureCall(procedure, name, type);
  return {
    ours: await outcomeOf((ctx) => ours(ctx as unknown as RequestContext, input)),
    theirs: await outcomeOf((ctx) =>
      (t.createCallerFactory(router)(ctx)[name] as (raw: unknown) => Promise<unknown>)(input),
    ),
  };
}

test('success, the middlewares’ context and metadata, and the input as parsed are those of tRPC’s caller', async () => {
  const { ours, theirs } = await both('works', {});
  assert.equal(ours, theirs);
  assert.equal(ours, { data: { text: 'Hello Ada', count: 2 }, seen: ['query works query undefined'] });
  const changed = await both('changes', { count: 1, more: 'x' });
  assert.equal(changed.ours, changed.theirs);
  const replaced = await both('replaced', undefined);
  assert.equal(replaced.ours, replaced.theirs);
  assert.is(replaced.ours.data, 'replaced');
});

test('errors of input, output, middlewares and resolvers are those of tRPC’s caller', async () => {
  const cases: [name: Name, input: unknown, code: string][] = [
    ['works', { count: 'many' }, 'BAD_REQUEST'],
    ['works', undefined, 'BAD_REQUEST'],
    ['works', { other: 1 }, 'BAD_REQUEST'],
    ['changes', { count: 1, more: 2 }, 'BAD_REQUEST'],
    ['swallowed', {}, 'INTERNAL_SERVER_ERROR'],
    ['refused', {}, 'CONFLICT'],
    ['stopped', {}, 'FORBIDDEN'],
    ['badOutput', {}, 'INTERNAL_SERVER_ERROR'],
  ];
  for (const [name, input, code] of cases) {
    const { ours, theirs } = await both(name, input);
    assert.equal(ours, theirs, name);
    assert.is(ours.code, code, name);
  }
});

test('a procedure of tRPC has the shape that the call relies on', async () => {
  const procedures = [...Object.values(appRouter._def.procedures), ...Object.values(toolRouter._def.procedures)];
  assert.ok(procedures.length > 50);
  for (const procedure of procedures as unknown as { _def: Record<string, unknown> }[]) {
    const { _def } = procedure;
    assert.type(procedure, 'function');
    assert.ok(['query', 'mutation'].includes(String(_def.type)));
    assert.ok(Array.isArray(_def.middlewares));
    for (const middleware of _def.middlewares as unknown[]) assert.type(middleware, 'function');
    assert.type(_def.meta, 'object');
    assert.ok(Array.isArray(_def.inputs));
    assert.type(_def.resolver, 'function');
    const types = (_def.middlewares as { _type?: string }[]).map(({ _type }) => _type);
    assert.equal(types.slice(0, 2), [undefined, 'input'], 'one middleware of ours, then the input');
    assert.is(types[2], _def.output === undefined ? undefined : 'output');
  }
});

test('a middleware gets what tRPC gives it and returns a marked result', async () => {
  const { _def } = router._def.procedures.works as unknown as {
    _def: { meta: unknown; middlewares: ((step: Record<string, unknown>) => Promise<Record<string, unknown>>)[] };
  };
  const [first, ...others] = _def.middlewares;
  const marked = { marker: 'middlewareMarker', ok: true, data: 'from next' };
  const given: unknown[] = [];
  const next = async (changes: unknown) => {
    given.push(changes);
    return marked;
  };
  const ctx = { name: 'Ada', seen: [] };
  const step = {
    ctx,
    input: undefined,
    getRawInput: async () => ({}),
    path: 'works',
    type: 'query',
    meta: _def.meta,
    next,
  };
  assert.is(await first?.(step), marked);
  assert.equal(given, [{ ctx: { greeting: 'Hello Ada' } }]);
  const resolver = await others.at(-1)?.({ ...step, input: { count: 1 }, ctx: { ...ctx, greeting: 'Hi' } });
  assert.is(resolver?.marker, 'middlewareMarker');
  assert.is(resolver?.ok, true);
});

test('the call is proven with the installed version of tRPC', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { dependencies: Record<string, string> };
  const installed = JSON.parse(await readFile('node_modules/@trpc/server/package.json', 'utf8')) as { version: string };
  assert.is(manifest.dependencies['@trpc/server'], provenVersion);
  assert.is(installed.version, provenVersion);
});

test.run();
