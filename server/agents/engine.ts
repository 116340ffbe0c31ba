import { ProviderFault } from '../providers/fault.ts';
import type { TurnFacts } from './prompt/facts.ts';

/** What a model is asked for. Each may be configured on its own. */
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

/** Who speaks as `user` when it is not a person. Its text says so too, for engines that only read that. */
export type Sender = { kind: 'agent'; name: string } | { kind: 'service' };

/** What was said so far, in order. Every tool call of an agent is followed by the results of all of them. */
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
  /** The provisional text so far is void: the answer begins anew. */
  onRestart?: () => void;
  /** Milliseconds spent asking, once per try, whatever came of it; waiting between tries is not in them. */
  onActive?: (ms: number) => void;
  /** Nothing is asked for the next `ms`: a wait between two tries. */
  onWait?: (ms: number) => void;
}

export interface EngineAnswer {
  text: string;
  /** Empty when the agent is done. Ids are new and unique. `input` is text where the model wrote no readable JSON. */
  toolCalls: ToolCall[];
}

/** Whatever answers for an agent: a model behind a provider, or the built-in engine. */
export interface Engine {
  readonly name: string;
  /** Answers once; the caller runs the tools and asks again. @throws ModelFault; the signal's reason when aborted. */
  answer(request: EngineRequest): Promise<EngineAnswer>;
}

/** A model did not answer as it should. */
export class ModelFault extends ProviderFault {}
