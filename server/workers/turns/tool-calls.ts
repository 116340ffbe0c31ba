import { v7 as newId } from 'uuid';
import type { AgentTool, ToolOutcome } from '../../../adapters/tools/agent-tools.ts';
import type { Db } from '../../../db/client.ts';
import { isSlowStatement } from '../../../db/errors.ts';
import { originOfAgent } from '../../../db/origin.ts';
import { agentAtWork } from '../../../domain/agents/rows.ts';
import { approvalReason, regardsSubTodos } from '../../../domain/approvals/policy.ts';
import type { ToolCallBlock } from '../../../domain/chats/shapes.ts';
import type { AuthenticatedContext, Principal } from '../../../domain/context.ts';
import { asStored } from '../../../domain/text.ts';
import { hasSubTodos } from '../../../domain/todos/sub-todos.ts';
import type { AnsweredCall, Claim } from '../../../domain/turns/steps.ts';
import type { ToolCall } from '../../../engine/engine.ts';
import type { AgentNow, TurnParts } from './parts.ts';

/** The calls of tools of one turn: which of them need a person, and what they come to. */
export class ToolCalls {
  readonly #claim: Claim;
  readonly #parts: Pick<TurnParts, 'context' | 'tools'>;
  readonly #signal: AbortSignal;
  /** Ids of calls that took too long once: the database may have been busy. */
  readonly #slow = new Set<string>();

  constructor(claim: Claim, parts: Pick<TurnParts, 'context' | 'tools'>, signal: AbortSignal) {
    this.#claim = claim;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** A call of a model as it is kept, and why a person must agree to it. What is judged is what will run. */
  async described({ name, input: written }: ToolCall, agent: AgentNow): Promise<AnsweredCall> {
    const tool = this.#parts.tools.get(name);
    const input = asStored(written ?? {});
    const reason = await this.#reasonToAsk(this.#parts.context.db, tool, input, agent);
    return { name, title: tool?.meta.title ?? name, input, approvalReason: reason };
  }

  /** Runs a call in the transaction `db`. @throws whatever the database throws when it ends the transaction. */
  async run(db: Db, call: ToolCallBlock, input: unknown): Promise<ToolOutcome> {
    const tool = this.#parts.tools.get(call.name);
    if (!tool) return this.#unknown(call.name);
    const refused = await this.#refusal(db, tool, call, input);
    return refused ?? tool.call(this.#contextOf(db), input).catch((error: unknown) => this.#tookTooLong(call, error));
  }

  /**
   * The outcome of a call that took too long again; its own transaction is undone. @throws the error the first time.
   */
  #tookTooLong({ id }: ToolCallBlock, error: unknown): ToolOutcome {
    if (!isSlowStatement(error)) throw error;
    if (!this.#slow.has(id)) {
      this.#slow.add(id);
      throw error;
    }
    const message = 'This took too long, and nothing was changed. Ask for less at once, or try it again later.';
    return { isError: true, output: { code: 'internal_error', message }, truncated: false };
  }

  /** Null when no approval is needed, as for a call that cannot work. */
  async #reasonToAsk(db: Db, tool: AgentTool | undefined, input: unknown, agent: AgentNow): Promise<string | null> {
    if (!tool?.accepts(input)) return null;
    const { workspaceId, todoId } = this.#claim;
    const isRegarded = agent.requiresApproval && todoId !== null && regardsSubTodos(tool.meta.name);
    const given = { ...this.#claim, hasSubTodos: isRegarded && (await hasSubTodos(db, workspaceId, todoId)) };
    return approvalReason(tool.meta, input, agent, given);
  }

  /** Refuses a call without an approval that needs one now: the agent, or its tools, changed meanwhile. */
  async #refusal(db: Db, tool: AgentTool, call: ToolCallBlock, input: unknown): Promise<ToolOutcome | null> {
    if (call.requiresApproval || tool.meta.readOnly) return null;
    const { workspaceId, agentId } = this.#claim;
    const reason = await this.#reasonToAsk(db, tool, input, await agentAtWork(db, workspaceId, agentId));
    if (reason === null) return null;
    const message = `A person must agree to this now. Make the same call again, and they are asked. ${reason}`;
    return { isError: true, output: { code: 'resource_conflict', message }, truncated: false };
  }

  #unknown(name: string) {
    const allowedValues = [...this.#parts.tools.keys()];
    const message = `There is no tool ${name.slice(0, 100)}. Use one of allowedValues.`;
    return { isError: true, output: { code: 'resource_not_found', message, allowedValues }, truncated: false };
  }

  #contextOf(db: Db): AuthenticatedContext {
    const { agentId, turnId, chatId, todoId, depth, workspaceId, userId, scopes } = this.#claim;
    const principal: Principal = {
      kind: 'agent',
      credentialId: agentId,
      credentialName: 'agent at work',
      workspaceId,
      userId,
      scopes: new Set(scopes),
      rateLimitPerMinute: 0,
      expiresAt: null,
      agent: { agentId, turnId, chatId, todoId, depth },
    };
    const requestId = newId();
    const origin = originOfAgent(agentId, requestId);
    const context = { ...this.#parts.context, db: db.as(origin), principal, signal: this.#signal };
    return { ...context, requestId, reply: { replayed: false } };
  }
}
