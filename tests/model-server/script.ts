/** A tool call as a scripted model makes it. */
export interface CallSaid {
  /** Default: one that is new. */
  id?: string;
  name: string;
  /** Arguments; text goes out as it is, however broken. */
  input: unknown;
}

/** What a scripted model says. */
export interface Said {
  /** A list goes out in just these pieces. */
  text?: string | string[];
  reasoning?: string;
  toolCalls?: CallSaid[];
  /** Why it ends, translated for each protocol; any other word goes out as it is. Default: `stop`, or `tools` with calls. */
  finish?: 'stop' | 'tools' | 'length' | 'filter' | (string & {});
}

/** How it goes out. */
export interface Delivery {
  /** Milliseconds before the first byte. */
  delayMs?: number;
  /** Milliseconds before each event. */
  eventMs?: number;
  /** Events of the answer that go out before `fault`. Default: none. */
  after?: number;
  /**
   * What happens after those: the connection is reset; nothing more comes; the stream ends; an event that is no JSON, or
   * an error, comes and the rest of the answer follows.
   */
  fault?: 'reset' | 'silence' | 'end' | 'broken' | 'error';
  error?: ErrorSaid;
}

export interface ErrorSaid {
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
  error?: ErrorSaid;
}

/** Text alone, what is said and how, or something raw. */
export type Reply = string | (Said & Delivery) | Raw;

/** What was said before, the same for both protocols. */
export type Heard =
  | { role: 'user'; text: string }
  | { role: 'agent'; text: string; toolCalls: { id: string; name: string; input: unknown }[] }
  | { role: 'tools'; results: { toolCallId: string; isError: boolean; output: string }[] };

/** A request, the same for both protocols. */
export interface Asked {
  model: string;
  system: string;
  messages: Heard[];
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
  events(said: Said, model: string): string[];
  /** The answer as one object, for requests without `stream`. */
  whole(said: Said, model: string): object;
  errorBody(status: number, error: ErrorSaid): object;
  errorEvent(error: ErrorSaid): string;
}

/** The pieces in which a text goes out: words, unless they are given. */
export function piecesOf(text: string | string[] | undefined): string[] {
  return typeof text === 'string' ? (text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text])) : (text ?? []);
}

/** Arguments in the fragments in which they go out, a few characters each. */
export function fragmentsOf(input: unknown): string[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.match(/[\s\S]{1,7}/g) ?? [];
}

/** Throws what a provider answers to a bad request, unless `holds`. */
export function demand(holds: unknown, message: string): asserts holds {
  if (!holds) throw new Unacceptable(message);
}
