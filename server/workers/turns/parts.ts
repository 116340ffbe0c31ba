import type { Logger } from 'pino';
import type { AgentTool } from '../../../adapters/tools/agent-tools.ts';
import type { AuthenticatedContext } from '../../../domain/context.ts';
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
}

/** What turns are worked on with. */
export interface TurnParts {
  /** The context of the service; each call of a tool gets its principal. */
  context: Omit<AuthenticatedContext, 'principal' | 'requestId' | 'signal' | 'reply'>;
  log: Logger;
  tools: ReadonlyMap<string, AgentTool>;
  limits: TurnLimits;
  engine: Engine;
  /** The agent, and what the engine is asked: from the whole chat and the workspace as they are now. */
  prepare(
    claim: Claim,
    messages: TurnMessage[],
  ): Promise<{
    agent: AgentNow;
    request: Pick<EngineRequest, 'purpose' | 'system' | 'conversation' | 'tools' | 'facts'>;
  }>;
  deltas(chatId: string, sequence: number): Deltas;
}
