import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { v7 as newId } from 'uuid';
import { type AgentTool, asksForRetry, type ToolOutcome } from '../../adapters/agent-tools.ts';
import type { Db } from '../../db/client.ts';
import { agentAtWork } from '../../routers/agents/rows.ts';
import { approvalReason } from '../../routers/approvals/policy.ts';
import type { Context, Principal } from '../../routers/base.ts';
import { asStored } from '../../routers/chats/messages.ts';
import type { ToolCallBlock } from '../../routers/chats/shapes.ts';
import type { Claim, TurnMessage } from '../../routers/chats/steps.ts';
import * as steps from '../../routers/chats/steps.ts';
import type { Ending, World } from '../../routers/chats/turns.ts';
import type { Deltas } from './deltas.ts';
import { type Engine, type EngineAnswer, type EngineRequest, ModelFault, type ToolCall } from './engine.ts';
import { answersIn, nextOf } from './next-step.ts';

/** What a turn may take before the service ends it. */
export interface TurnLimits {
  activeMs: number;
  answers: number;
}

/** The agent of a turn as it is at a step: its settings hold from the next step on. */
export interface AgentNow {
  name: string;
  requiresApproval: boolean;
}

export interface TurnParts {
  /** The context of the service; each call of a tool gets its principal. */
  context: Omit<Context, 'principal' | 'requestId' | 'signal' | 'reply'>;
  log: Logger;
  tools: ReadonlyMap<string, AgentTool>;
  limits: TurnLimits;
  engine: Engine;
  /** The agent, and what the engine is asked: from the whole chat and the world as they are now. */
  prepare(
    claim: Claim,
    messages: TurnMessage[],
  ): Promise<{ agent: AgentNow; request: Omit<EngineRequest, 'signal' | 'onText' | 'onActive'> }>;
  deltas(chatId: string, sequence: number): Deltas;
}

const mostTries = 5;

const orphaned: Ending = {
  outcome: 'failed',
  errorMessage:
    'The person for whom the agent worked is no longer a member of the workspace. What it did stays; write a message to have it go on for you.',
};

/** Runs one step in a transaction, again when the database asks for it. */
async function step<Result>({ db }: World, work: (tx: Db) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (!asksForRetry(error) || tries === mostTries) throw error;
      await sleep(tries * 20 * Math.random());
    }
  }
}

/** One claimed turn, step by step, until it ends, waits for a person, or is lost. */
export class Turn {
  readonly #claim: Claim;
  readonly #parts: TurnParts;
  readonly #signal: AbortSignal;
  readonly #messages: TurnMessage[] = [];
  #activeMs: number;

  constructor(claim: Claim, parts: TurnParts, signal: AbortSignal) {
    this.#claim = claim;
    this.#parts = parts;
    this.#signal = signal;
    this.#activeMs = claim.activeMs;
  }

  /** @throws LostTurn; the reason of the signal; whatever the database throws. */
  async run(): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted();
      await this.#read();
      const { turnId } = this.#claim;
      const { limits, context } = this.#parts;
      if (!(await steps.worksForMember(context.db, this.#claim))) return this.#end(orphaned);
      const next = nextOf(this.#messages, turnId, await steps.decisionsOf(context.db, this.#claim));
      if (next.kind === 'pause') {
        if (await step(context, (db) => steps.pauseTurn(this.#world(db), this.#claim))) return;
        continue;
      }
      if (this.#activeMs >= limits.activeMs) return this.#timeOut();
      if (next.kind === 'ask' && answersIn(this.#messages, turnId) >= limits.answers) {
        const message = `The agent was stopped after ${limits.answers} steps without an end. Say what is still to do, in smaller pieces.`;
        return this.#end({ outcome: 'failed', errorMessage: message });
      }
      const { goesOn } = next.kind === 'ask' ? await this.#ask() : await this.#call(next.call, next.input);
      if (!goesOn) return;
    }
  }

  #world(db: Db): World {
    return { ...this.#parts.context, db };
  }

  /** Reads what was said since: decisions of people come while the turn works. */
  async #read(): Promise<void> {
    const seen = this.#messages.at(-1)?.sequence ?? 0;
    this.#messages.push(...(await steps.messagesAfter(this.#parts.context.db, this.#claim, seen)));
  }

  async #end(ending: Ending, spentMs = 0): Promise<void> {
    await step(this.#parts.context, (db) => steps.saveFailure(this.#world(db), this.#claim, ending, spentMs));
  }

  #timeOut(spentMs = 0): Promise<void> {
    const minutes = Math.round(this.#parts.limits.activeMs / 60_000);
    const errorMessage = `The agent worked for ${minutes} minutes without an end and was stopped. What it did stays.`;
    return this.#end({ outcome: 'timed_out', errorMessage }, spentMs);
  }

  /** Books the time of a step; false when the workspace has run out of minutes and the turn is over. */
  async #booked(dry: boolean, spentMs: number): Promise<{ goesOn: boolean }> {
    this.#activeMs += spentMs;
    if (!dry) return { goesOn: true };
    const errorMessage =
      'The workspace ran out of agent minutes. What the agent did stays; it can go on once there are more.';
    await this.#end({ outcome: 'failed', errorMessage });
    return { goesOn: false };
  }

  /** Asks the engine and saves its answer. Waits between tries are not active time. */
  async #ask(): Promise<{ goesOn: boolean }> {
    const { engine, prepare, limits, deltas } = this.#parts;
    const { agent, request } = await prepare(this.#claim, this.#messages);
    const late = AbortSignal.timeout(Math.max(1, Math.ceil(limits.activeMs - this.#activeMs)));
    const signal = AbortSignal.any([this.#signal, late]);
    const provisional = deltas(this.#claim.chatId, (this.#messages.at(-1)?.sequence ?? 0) + 1);
    const began = performance.now();
    let active: number | undefined;
    const onActive = (ms: number) => {
      active = (active ?? 0) + ms;
    };
    let answer: EngineAnswer;
    try {
      answer = await engine.answer({ ...request, signal, onText: provisional.add, onActive });
    } catch (error) {
      this.#signal.throwIfAborted();
      if (late.aborted) await this.#timeOut(performance.now() - began);
      else if (error instanceof ModelFault) await this.#end({ outcome: 'failed', errorMessage: error.message });
      else throw error;
      return { goesOn: false };
    } finally {
      provisional.end();
    }
    return this.#save(answer, agent, active ?? performance.now() - began);
  }

  async #save({ text, toolCalls }: EngineAnswer, agent: AgentNow, spentMs: number): Promise<{ goesOn: boolean }> {
    if (toolCalls.length === 0) {
      await step(this.#parts.context, (db) => steps.saveEnd(this.#world(db), this.#claim, text, spentMs));
      return { goesOn: false };
    }
    const calls = toolCalls.map((call) => this.#described(call, agent));
    const answer = { text, calls };
    const { dry } = await step(this.#parts.context, (db) =>
      steps.saveCalls(this.#world(db), this.#claim, answer, spentMs),
    );
    return this.#booked(dry, spentMs);
  }

  /** Why a person must agree to a call; null when nobody must, as to one that cannot work. */
  #reasonToAsk(tool: AgentTool | undefined, input: unknown, agent: AgentNow): string | null {
    return tool?.accepts(input) ? approvalReason(tool.meta, input, agent, this.#claim) : null;
  }

  #described(call: ToolCall, agent: AgentNow): steps.AnsweredCall {
    const tool = this.#parts.tools.get(call.name);
    const input = asStored(call.input ?? {});
    const title = tool?.meta.title ?? call.name;
    return { name: call.name, title, input, approvalReason: this.#reasonToAsk(tool, input, agent) };
  }

  /** Refuses a call that nobody was asked about and that needs it now: the agent, or its tools, changed meanwhile. */
  async #refusal(db: Db, tool: AgentTool, call: ToolCallBlock, input: unknown): Promise<ToolOutcome | null> {
    if (call.requiresApproval || tool.meta.readOnly) return null;
    const { workspaceId, agentId } = this.#claim;
    const reason = this.#reasonToAsk(tool, input, await agentAtWork(db, workspaceId, agentId));
    if (reason === null) return null;
    const message = `A person must agree to this now. Make the same call again, and they are asked. ${reason}`;
    return { isError: true, output: { code: 'resource_conflict', message }, truncated: false };
  }

  /** Runs a tool and saves its effect with its result, in one transaction. */
  async #call(call: ToolCallBlock, input: unknown): Promise<{ goesOn: boolean }> {
    const began = performance.now();
    const { tools, context } = this.#parts;
    const tool = tools.get(call.name);
    const result = { toolCallId: call.id, title: call.title };
    const spent = () => performance.now() - began;
    const run = async (db: Db) => {
      const ctx = this.#contextOf(db);
      const outcome = tool
        ? ((await this.#refusal(db, tool, call, input)) ?? (await tool.call(ctx, input)))
        : this.#unknown(call.name);
      return steps.saveResult(ctx, this.#claim, { ...result, ...outcome }, spent());
    };
    try {
      const { dry } = await step(context, run);
      return await this.#booked(dry, spent());
    } catch (error) {
      if (!(error instanceof steps.LostTurn)) throw error;
      // Still ours: the call itself had ended the turn, and went back with it.
      const output = { code: 'resource_conflict', message: 'This would have stopped your own work. Answer instead.' };
      const refused = { ...result, isError: true, output, truncated: false };
      const { dry } = await step(context, (db) => steps.saveResult(this.#world(db), this.#claim, refused, spent()));
      return await this.#booked(dry, spent());
    }
  }

  #unknown(name: string) {
    const allowedValues = [...this.#parts.tools.keys()];
    const message = `There is no tool ${name.slice(0, 100)}. Use one of allowedValues.`;
    return { isError: true, output: { code: 'resource_not_found', message, allowedValues }, truncated: false };
  }

  #contextOf(db: Db): Context {
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
    const context = { ...this.#parts.context, db, principal, signal: this.#signal };
    return { ...context, requestId: newId(), reply: { replayed: false } };
  }
}
