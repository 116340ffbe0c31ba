import { z } from 'zod';
import { authorize } from '../../domain/access.ts';
import type { Principal, RequestContext } from '../../domain/context.ts';
import { Failure } from '../../domain/errors.ts';
import { indexAfter } from '../../domain/fields.ts';
import type { ToolMeta } from '../../domain/operations.ts';
import type { Scope } from '../../domain/scopes.ts';
import { authenticated, bareProcedure } from '../base.ts';
import { defaultMaxBody, type Meta } from '../metadata.ts';
import { recordRefusal } from '../security-events.ts';
import { requireStorable } from '../storable.ts';

/** `limit` of a list that a model reads. */
export const ToolLimit = z.int().min(1).max(50).default(10).describe('Rows. Omitted: 10.');

/** A text from its `offset`th character (Unicode code point) on, for a tool that shows a long one in parts. */
export function textFrom(text: string | null, offset: number): string | null {
  return text === null || offset === 0 ? text : text.slice(indexAfter(text, offset));
}

interface ToolOptions {
  title: string;
  /** For the model: what it does, when to use it and what comes back. */
  description: string;
  scopes: Scope[];
  readOnly?: boolean;
  /** Defaults to `readOnly`. */
  idempotent?: boolean;
  maxText?: number;
  /** Bytes; 1 MiB unless set. */
  maxBody?: number;
  rest?: string;
  elicits?: boolean;
  readAgain?: ToolMeta['readAgain'];
}

/** The metadata of one tool, from which the tool list, its annotations and the check of scopes are derived. */
export function tool(name: string, options: ToolOptions): Meta {
  const {
    title,
    description,
    scopes,
    readOnly = false,
    idempotent = readOnly,
    maxText = 2000,
    maxBody = defaultMaxBody,
    rest = '',
    elicits = false,
    readAgain = null,
  } = options;
  const limits = { maxText, maxBody };
  return { tool: { name, title, description, scopes, readOnly, idempotent, ...limits, rest, elicits, readAgain } };
}

/** Which tool shows what an argument of this name may be, and the scope that it takes to see it. */
const finders: Readonly<Record<string, readonly [tool: string, scope: Scope]>> = {
  todoId: ['list_todos', 'todos:read'],
  todoListId: ['list_todo_lists', 'todos:read'],
  chatId: ['list_chats', 'chats:read'],
  agentId: ['list_agents', 'agents:read'],
  skillId: ['list_skills', 'agents:read'],
  captureId: ['list_captures', 'captures:read'],
  captureIds: ['list_captures', 'captures:read'],
};

/** The tool that finds what the argument at fault should have named, if the principal may call it. */
export function finderOf(param: string | null, principal: Pick<Principal, 'scopes'> | null): string | undefined {
  const [tool, scope] = finders[param?.replace(/\[\d+\]$/, '') ?? ''] ?? [];
  return scope && principal?.scopes.has(scope) ? tool : undefined;
}

/** The scopes of the tool that the principal does not hold. */
export function lackingScopes({ scopes }: Pick<ToolMeta, 'scopes'>, principal: Pick<Principal, 'scopes'>): Scope[] {
  return scopes.filter((scope) => !principal.scopes.has(scope));
}

function requireScopes(meta: ToolMeta, ctx: RequestContext): Principal {
  authorize({ id: meta.name, access: 'any', scope: null }, ctx.principal, ctx.badCredential);
  const principal = authenticated(ctx);
  const lacking = lackingScopes(meta, principal);
  if (lacking.length === 0) return principal;
  const named = `${lacking.length > 1 ? 'scopes' : 'scope'} ${lacking.join(' and ')}`;
  const message = `This credential lacks the ${named}. Ask a person for one that has it; repeating the call does not help.`;
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: meta.scopes });
}

/** The frame of every tool, measured as a whole: its scopes, storable text, then shape and work. */
export const toolProcedure = bareProcedure.use(({ ctx, meta, next, getRawInput }) => {
  const tool = meta?.tool;
  if (!tool) throw new Error('A tool procedure without tool() metadata');
  return ctx.observe({ kind: 'tool', name: tool.name }, async () => {
    const principal = recordRefusal(ctx, tool.name, () => requireScopes(tool, ctx));
    requireStorable(await getRawInput());
    return next({ ctx: { principal, operation: tool.name } });
  });
});
