import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/client.ts';
import { isUnavailable } from '../../../db/errors.ts';
import { originOfAgent } from '../../../db/origin.ts';
import type { ToolCallBlock } from '../../../domain/chats/shapes.ts';
import type { Ending } from '../../../domain/chats/turns.ts';
import type { ServiceContext } from '../../../domain/context.ts';
import { LostLease } from '../../../domain/jobs.ts';
import { chargeCancelled } from '../../../domain/turns/cancelled.ts';
import { decisionsOf } from '../../../domain/turns/decisions.ts';
import { saveEndAtOnce } from '../../../domain/turns/end.ts';
import type { TurnMessage } from '../../../domain/turns/history.ts';
import type { Claim } from '../../../domain/turns/steps.ts';
import * as steps from '../../../domain/turns/steps.ts';
import { type EngineAnswer, ModelFault } from '../../../engine/engine.ts';
import { deadlineIn } from '../../../engine/providers/limits.ts';
import { currentSpan, traced } from '../../tracing/spans.ts';
import type { Fitting } from './fitting.ts';
import { readOn, withinAnswer } from './messages.ts';
import { answersIn, asksPerson, type Decisions, nextOf } from './next-step.ts';
import type { AgentNow, Question, TurnParts } from './parts.ts';
import { ToolCalls } from './tool-calls.ts';

/** Database errors in a row after which a turn still continues, and the pause before it does, in milliseconds. */
const maxDbErrors = 5;
const pauseMs = 200;

/** Calls of one answer that are made. A model that wants more sees what came of these first, and asks again. */
const maxCalls = 100;

const orphaned: Ending = {
  outcome: 'failed',
  errorMessage:
    'The person for whom the agent worked is no longer a member of the workspace. What it did stays; write a message to have it go on for you.',
};

interface Answered {
  answer: EngineAnswer;
  agent: AgentNow;
  spentMs: number;
  /** Answers that the turn had before. */
  earlier: number;
}

/** One claimed turn, step by step, until it ends, waits for a person, or is lost. */
export class Turn {
  readonly #claim: Claim;
  readonly #parts: TurnParts;
  readonly #signal: AbortSignal;
  readonly #calls: ToolCalls;
  readonly #fitting: Fitting;
  readonly #messages: TurnMessage[] = [];
  #activeMs: number;
  /** What the engine answered, until it is known to be saved. */
  #answered: Answered | undefined;
  /** Active time of the step in progress. */
  #unsavedMs = 0;

  constructor(claim: Claim, parts: TurnParts, signal: AbortSignal, fitting: Fitting) {
    this.#fitting = fitting;
    this.#claim = claim;
    this.#parts = parts;
    this.#signal = signal;
    this.#calls = new ToolCalls(claim, parts, signal);
    this.#activeMs = claim.activeMs;
  }

  /**
   * Works until the turn ends, waits or is lost; false when it `givesWay` after a step. When it was cancelled, the time
   * of the step that was in progress is charged all the same. @throws LostLease; the reason of the signal; the database
   * error when it stays unavailable.
   */
  async run(givesWay: () => Promise<boolean>): Promise<boolean> {
    try {
      return await this.#run(givesWay);
    } catch (error) {
      if (error instanceof LostLease && this.#unsavedMs > 0) await this.#chargeCancelled();
      throw error;
    }
  }

  async #run(givesWay: () => Promise<boolean>): Promise<boolean> {
    for (let dbErrors = 0; ; ) {
      this.#signal.throwIfAborted();
      try {
        if (!(await traced('turn step', {}, () => this.#next()))) return true;
        dbErrors = 0;
        if (await givesWay()) return false;
      } catch (error) {
        // The step may have been saved all the same: where the turn stands is read again.
        if (!isUnavailable(error) || ++dbErrors > maxDbErrors) throw error;
        await sleep(dbErrors * pauseMs, undefined, { signal: this.#signal });
      }
    }
  }

  /** Takes the next step; false when the turn has ended or waits for a person. */
  async #next(): Promise<boolean> {
    const { limits, context, prepare } = this.#parts;
    const { turnId } = this.#claim;
    await readOn(context.db, this.#claim, this.#messages);
    const next = nextOf(this.#messages, turnId, await this.#decisions());
    currentSpan()?.set({ 'tandem.step': next.kind });
    // It was saved although that could not be confirmed.
    if (this.#answered && answersIn(this.#messages, turnId) > this.#answered.earlier) this.#clearAnswer();
    const asks = next.kind === 'ask' && !this.#answered;
    const question = asks ? await prepare(this.#claim, this.#messages) : undefined;
    if (question) this.#claim.scopes = question.scopes;
    const worksForMember = question?.worksForMember ?? (await steps.worksForMember(context.db, this.#claim));
    if (!worksForMember) return this.#end(orphaned);
    if (next.kind === 'pause') return !(await this.#step((db) => steps.pauseTurn(this.#ctx(db), this.#claim)));
    if (this.#activeMs >= limits.activeMs) return this.#timeOut();
    if (next.kind === 'call') return this.#call(next.call, next.input);
    if (this.#answered) return this.#save(this.#answered);
    if (question && !question.hasMinutes) return this.#booked(true, 0);
    if (question && answersIn(this.#messages, turnId) < limits.answers) return this.#ask(question);
    const message = `The agent was stopped after ${limits.answers} steps without an end. Say what is still to do, in smaller pieces.`;
    return this.#end({ outcome: 'failed', errorMessage: message });
  }

  /** The answer is saved, with its time. */
  #clearAnswer(): void {
    this.#answered = undefined;
    this.#activeMs += this.#unsavedMs;
    this.#unsavedMs = 0;
  }

  async #chargeCancelled(): Promise<void> {
    const { context, log } = this.#parts;
    const { chatId, turnId } = this.#claim;
    await chargeCancelled(context, this.#claim, this.#activeMs + this.#unsavedMs).catch((err: unknown) =>
      log.warn({ err, chatId, turnId }, 'cancelled turn was not charged'),
    );
  }

  #step<Result>(work: (tx: Db) => Promise<Result>): Promise<Result> {
    return this.#parts.context.db.transaction(work);
  }

  /** The context of a step that the agent takes. */
  #ctx(db: Db): ServiceContext {
    return { ...this.#parts.context, db: db.as(originOfAgent(this.#claim.agentId)) };
  }

  /** What people decided so far; read after the messages, as what they decide is written with them. */
  async #decisions(): Promise<Decisions> {
    if (!asksPerson(this.#messages, this.#claim.turnId)) return new Map();
    return decisionsOf(this.#parts.context.db, this.#claim);
  }

  /** Ends the turn: that is the doing of the service, not of the agent. */
  async #end(ending: Ending, spentMs = 0): Promise<false> {
    const { context } = this.#parts;
    await this.#step((db) => steps.saveFailure({ ...context, db }, this.#claim, ending, spentMs));
    return false;
  }

  #timeOut(spentMs = 0): Promise<false> {
    const minutes = Math.round(this.#parts.limits.activeMs / 60_000);
    const errorMessage = `The agent worked for ${minutes} minutes without an end and was stopped. What it did stays.`;
    return this.#end({ outcome: 'timed_out', errorMessage }, spentMs);
  }

  /** Books the time of a step; false when the workspace has run out of minutes and the turn is over. */
  async #booked(dry: boolean, spentMs: number): Promise<boolean> {
    this.#activeMs += Math.ceil(spentMs);
    if (!dry) return true;
    const errorMessage =
      'The workspace ran out of agent minutes. What the agent did stays; it can go on once there are more.';
    return this.#end({ outcome: 'failed', errorMessage });
  }

  /** Asks the engine and saves its answer. Waits between tries are not active time. */
  async #ask(question: Question): Promise<boolean> {
    const { engine, limits, deltas } = this.#parts;
    const late = deadlineIn(limits.activeMs - this.#activeMs);
    const signal = AbortSignal.any([this.#signal, late.signal]);
    const provisional = deltas(this.#claim.chatId, (this.#messages.at(-1)?.sequence ?? 0) + 1);
    const began = performance.now();
    let active: number | undefined;
    const onActive = (ms: number) => {
      active = (active ?? 0) + ms;
    };
    const spent = () => {
      this.#unsavedMs = Math.ceil(active ?? performance.now() - began);
      return this.#unsavedMs;
    };
    let answer: EngineAnswer;
    try {
      answer = await this.#fitting.ask(engine, this.#claim.turnId, question, {
        signal,
        onText: provisional.add,
        onRestart: provisional.restart,
        onActive,
        onWait: late.putOff,
        onPause: late.pause,
      });
    } catch (error) {
      const spentMs = spent();
      this.#signal.throwIfAborted();
      if (late.signal.aborted) return await this.#timeOut(spentMs);
      if (!(error instanceof ModelFault)) throw error;
      const { chatId, turnId } = this.#claim;
      this.#parts.log.warn({ chatId, turnId, reason: error.message }, 'turn failed: no answer of the model');
      return await this.#end({ outcome: 'failed', errorMessage: error.message }, spentMs);
    } finally {
      late.stop();
      provisional.end();
    }
    const earlier = answersIn(this.#messages, this.#claim.turnId);
    this.#answered = { answer, agent: question.agent, spentMs: spent(), earlier };
    return this.#save(this.#answered);
  }

  async #save({ answer: { text, toolCalls }, agent, spentMs }: Answered): Promise<boolean> {
    if (toolCalls.length === 0) {
      if (await saveEndAtOnce(this.#ctx(this.#parts.context.db), this.#claim, text, spentMs)) return false;
      await this.#step((db) => steps.saveEnd(this.#ctx(db), this.#claim, text, spentMs));
      return false;
    }
    const described = toolCalls.slice(0, maxCalls).map((call) => this.#calls.described(call, agent));
    const calls = await Promise.all(described);
    const { dry } = await this.#step((db) => steps.saveCalls(this.#ctx(db), this.#claim, { text, calls }, spentMs));
    this.#clearAnswer();
    return this.#booked(dry, 0);
  }

  /** Runs a tool and saves its effect with its result, in one transaction. */
  async #call(call: ToolCallBlock, input: unknown): Promise<boolean> {
    const began = performance.now();
    let spentMs = 0;
    const save = (db: Db, outcome: Omit<steps.CallResult, 'toolCallId' | 'title'>) => {
      const result = { ...outcome, toolCallId: call.id, title: call.title };
      spentMs = performance.now() - began;
      return steps.saveResult(this.#ctx(db), this.#claim, result, spentMs);
    };
    const run = async (db: Db) => save(db, withinAnswer(this.#messages, await this.#calls.run(db, call, input)));
    // What was saved is booked: the rest of the transaction is not time of the agent.
    try {
      const { dry } = await this.#step(run);
      return await this.#booked(dry, spentMs);
    } catch (error) {
      if (!(error instanceof LostLease)) throw error;
      // Still ours: the call itself had ended the turn, and went back with it.
      const output = { code: 'resource_conflict', message: 'This would have stopped your own work. Answer instead.' };
      const { dry } = await this.#step((db) => save(db, { isError: true, output, truncated: false }));
      return await this.#booked(dry, spentMs);
    }
  }
}
