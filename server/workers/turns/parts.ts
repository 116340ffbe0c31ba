import type { Logger } from 'pino';
import type { AgentTool } from '../../../adapters/tools/agent-tools.ts';
import type { AuthenticatedContext } from '../../../domain/context.ts';
import type { Scope } from '../../../domain/scopes.ts';
import type { TurnMessage } from '../../../domain/turns/history.ts';
import type { Claim } from '../../../domain/turns/steps.ts';
import type { Engine, EngineRequest } from '../../../engine/engine.ts';
import type { Deltas } from './deltas.ts';

/** The agent of a turn as it is at a step: its settings hold from the next step on. */
export interface AgentNow {
  requiresApproval: boolean;
}

/** What a turn may take before the service ends it. */
export interface TurnLimits {
  activeMs: number;
  answers: number;
  /** How long it keeps its place while turns of other workspaces wait; 20 seconds by default. */
  placeMs?: number;
}

/** What the engine is asked, and the agent that asks. */
export interface Question {
  agent: AgentNow;
  /** What the turn may do from here on. */
  scopes: Scope[];
  /** The person for whom the agent works is still a member. */
  worksForMember: boolean;
  /** The workspace has minutes left, or the turn has some that were charged already. */
  hasMinutes: boolean;
  /** With this share of the usual lengths of the conversation and the captures, at most 1. */
  request(share: number): Pick<EngineRequest, 'purpose' | 'system' | 'conversation' | 'tools' | 'facts'>;
}

/** What turns are worked on with. */
export interface TurnParts {
  /** The context of the service; each call of a tool gets its principal. */
  context: Omit<AuthenticatedContext, 'principal' | 'requestId' | 'signal' | 'reply'>;
  log: Logger;
  tools: ReadonlyMap<string, AgentTool>;
  limits: TurnLimits;
  engine: Engine;
  /** From the whole chat and the workspace as they are now. @throws LostLease. */
  prepare(claim: Claim, messages: TurnMessage[]): Promise<Question>;
  deltas(chatId: string, sequence: number): Deltas;
}
