import { getTRPCErrorFromUnknown, type TRPCError } from '@trpc/server';
import type { RequestContext } from '../domain/context.ts';
import type { Meta } from '../routers/metadata.ts';

type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError };

interface Call {
  ctx: RequestContext;
  input: unknown;
  getRawInput: () => Promise<unknown>;
  path: string;
  type: 'query' | 'mutation';
}

interface Step extends Call {
  meta: Meta;
  next: (changes?: { ctx?: Partial<RequestContext>; input?: unknown }) => Promise<Result>;
}

interface Procedure {
  _def: { meta: Meta; middlewares: readonly ((step: Step) => Promise<Result>)[] };
}

async function run({ _def }: Procedure, place: number, call: Call): Promise<Result> {
  try {
    const middleware = _def.middlewares[place];
    if (!middleware) throw new Error(`${call.path} ends without an answer`);
    const next: Step['next'] = (changes = {}) => {
      const { ctx, input } = call;
      return run({ _def }, place + 1, {
        ...call,
        ctx: changes.ctx ? { ...ctx, ...changes.ctx } : ctx,
        input: 'input' in changes ? changes.input : input,
      });
    };
    return await middleware({ ...call, meta: _def.meta, next });
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) };
  }
}

/**
 * Calls a procedure as the caller of @trpc/server 11 does: middlewares, input, resolver, output. That one copies every
 * option of every step by a helper for old engines, which took a fifth of the time of a small request.
 * @throws TRPCError
 */
export function procedureCall(procedure: unknown, path: string, type: Call['type']) {
  return async (ctx: RequestContext, raw: unknown): Promise<unknown> => {
    const result = await run(procedure as Procedure, 0, {
      ctx,
      input: undefined,
      getRawInput: async () => raw,
      path,
      type,
    });
    if (!result.ok) throw result.error;
    return result.data;
  };
}
