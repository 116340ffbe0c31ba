import type { TurnFacts } from './facts.ts';
import { ProviderFault } from './providers/errors.ts';

/** Purposes of models. Each may be configured on its own. */
export const purposes = ['turn', 'titles', 'summaries', 'estimates'] as const;
export type Purpose = (typeof purposes)[number];

/** A tool as a model sees it. */
export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of its arguments: an object. */
  inputSchema: Record<string, unknown>;
}

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

/** The sender of a `user` message that is not a person. Its text names it too, for engines that only read that. */
export type Sender = { kind: 'agent'; name: string } | { kind: 'service' };

/**
 * One message of a conversation. Every message of an agent with tool calls is followed by the results of all of them.
 */
export type Utterance =
  | { role: 'user'; text: string; from?: Sender }
  | { role: 'agent'; text: string; toolCalls: ToolCall[] }
  | { role: 'tools'; results: { toolCallId: string; name: string; isError: boolean; output: unknown }[] };

export interface EngineRequest {
  purpose: Purpose;
  system: string;
  conversation: Utterance[];
  tools: ToolDeclaration[];
  /** With purpose `turn`: what `system` was made of. */
  facts?: TurnFacts;
  signal: AbortSignal;
  /** Provisional text as it arrives. */
  onText?: (delta: string) => void;
  /** The provisional text so far is to be discarded: the answer restarts. */
  onRestart?: () => void;
  /** Called with the milliseconds of each try, whatever its outcome; waiting between tries is not included. */
  onActive?: (ms: number) => void;
  /** Called before a wait of `ms` between two tries. */
  onWait?: (ms: number) => void;
  /**
   * Called before a wait whose length is not known, as for a place in a queue; what it returns is called at its end.
   */
  onPause?: () => () => void;
}

export interface EngineAnswer {
  text: string;
  /** Empty when the agent is done. Ids are new and unique. `input` is text where the model wrote no readable JSON. */
  toolCalls: ToolCall[];
}

/** Answers for an agent: a model of a provider, or the offline engine. */
export interface Engine {
  readonly name: string;
  /** Answers once; the caller runs the tools and asks again. @throws ModelFault; the signal's reason when aborted. */
  answer(request: EngineRequest): Promise<EngineAnswer>;
}

/** A model did not answer as it should. */
export class ModelFault extends ProviderFault {}
