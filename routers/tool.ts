import { z } from 'zod';
import { authorize, bareProcedure, type Context, type Principal, principalOf } from './base.ts';
import { Failure } from './errors.ts';
import type { Meta, ToolMeta } from './metadata.ts';
import type { Scope } from './scopes.ts';

/** `limit` of a list that a model reads. */
export const ToolLimit = z.int().min(1).max(50).default(10).describe('Page size.');

/** A text from its `offset`th character (Unicode code point) on, for a tool that shows a long one in parts. */
export function textFrom(text: string | null, offset: number): string | null {
  return text === null || offset === 0 ? text : Array.from(text).slice(offset).join('');
}

interface ToolOptions {
  title: string;
  /** For the model: what it does, when to use it and what comes back. */
  description: string;
  scopes: Scope[];
  readOnly?: boolean;
  /** Defaults to `readOnly`. */
  idempotent?: boolean;
  longestText?: number;
  rest?: string;
  asks?: boolean;
}

/** The metadata of one tool, from which the tool list, its annotations and the check of scopes are derived. */
export function tool(name: string, options: ToolOptions): Meta {
  const {
    title,
    description,
    scopes,
    readOnly = false,
    idempotent = readOnly,
    longestText = 2000,
    rest = '',
    asks = false,
  } = options;
  return { tool: { name, title, description, scopes, readOnly, idempotent, longestText, rest, asks } };
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

function requireScopes(meta: ToolMeta, ctx: Context): void {
  authorize({ id: meta.name, access: 'any', scope: null }, ctx.principal, ctx.badCredential);
  const lacking = lackingScopes(meta, principalOf(ctx));
  if (lacking.length === 0) return;
  const named = `${lacking.length > 1 ? 'scopes' : 'scope'} ${lacking.join(' and ')}`;
  const message = `This credential lacks the ${named}. Ask a person for one that has it; repeating the call does not help.`;
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: meta.scopes });
}

/** The frame of every tool: its scopes, then shape and work. */
export const toolProcedure = bareProcedure.use(({ ctx, meta, next }) => {
  if (!meta?.tool) throw new Error('A tool procedure without tool() metadata');
  requireScopes(meta.tool, ctx);
  return next();
});
