/** A tool call as a scripted model makes it. */
export interface ScriptedCall {
  /** Default: one that is new. */
  id?: string;
  name: string;
  /** Arguments; text is sent as it is, however broken. */
  input: unknown;
}

/** An answer of a scripted model. */
export interface ScriptedAnswer {
  /** A list is sent in just these pieces. */
  text?: string | string[];
  reasoning?: string;
  toolCalls?: ScriptedCall[];
  /**
   * Why it ends, translated for each protocol; any other word is sent as it is. Default: `stop`, or `tools` with calls.
   */
  finish?: 'stop' | 'tools' | 'length' | 'filter' | (string & {});
}

/** How it is sent. */
export interface Delivery {
  /** Milliseconds before the first byte. */
  delayMs?: number;
  /** Milliseconds before each event. */
  eventMs?: number;
  /** Events of the answer that are sent before `fault`. Default: none. */
  after?: number;
  /**
   * What happens after those: the connection is reset; nothing more comes; the stream ends; an event that is no JSON,
   * or an error, comes and the rest of the answer follows.
   */
  fault?: 'reset' | 'silence' | 'end' | 'broken' | 'error';
  error?: ScriptedError;
}

export interface ScriptedError {
  type?: string;
  code?: string | number;
  message?: string;
}

/** An answer of another kind: an error, a web page, a stream written by hand. */
export interface Raw {
  status: number;
  headers?: Record<string, string>;
  /** Default: an error object of the protocol. */
  body?: string;
  error?: ScriptedError;
}

/** Text alone, an answer with its delivery, or something raw. */
export type Reply = string | (ScriptedAnswer & Delivery) | Raw;

/** A message of a request, the same for both protocols. */
export type ReceivedMessage =
  | { role: 'user'; text: string }
  | { role: 'agent'; text: string; toolCalls: { id: string; name: string; input: unknown }[] }
  | { role: 'tools'; results: { toolCallId: string; isError: boolean; output: string }[] };

/** A request, the same for both protocols. */
export interface Asked {
  model: string;
  system: string;
  messages: ReceivedMessage[];
  tools: { name: string; description: string; inputSchema: unknown }[];
  maxTokens: number | undefined;
  stream: boolean;
  /** The body as it came. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  body: any;
}

/** What the model answers to the `n`th request of the server, from 1. */
export type Script = (asked: Asked, n: number) => Reply | Promise<Reply>;

/** A request that a real provider would refuse with 400. */
export class Unacceptable extends Error {}

/** How a protocol is spoken by a server. */
export interface Protocol {
  /** The path below the base URL. */
  path: string;
  keyOf(headers: Record<string, string | string[] | undefined>): string | undefined;
  /** @throws Unacceptable */
  read(body: unknown): Asked;
  /** The server-sent events of an answer, each as text. */
  events(answer: ScriptedAnswer, model: string): string[];
  /** The answer as one object, for requests without `stream`. */
  whole(answer: ScriptedAnswer, model: string): object;
  errorBody(status: number, error: ScriptedError): object;
  errorEvent(error: ScriptedError): string;
}

/** The pieces in which a text is sent: words, unless they are given. */
export function piecesOf(text: string | string[] | undefined): string[] {
  return typeof text === 'string' ? (text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text])) : (text ?? []);
}

/** Arguments in the fragments in which they are sent, a few characters each. */
export function fragmentsOf(input: unknown): string[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.match(/[\s\S]{1,7}/g) ?? [];
}

/** Throws what a provider answers to a bad request, unless `holds`. */
export function demand(holds: unknown, message: string): asserts holds {
  if (!holds) throw new Unacceptable(message);
}
