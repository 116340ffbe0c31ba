import type { CaptureDigest, CaptureMaterial, DigestOptions } from './captures/shapes.ts';

/** A message of a chat, without tool calls. */
export interface ChatLine {
  role: 'user' | 'agent';
  text: string;
}

/** Longest texts in characters. */
export const textLimits = { title: 200, subtitle: 120, skillSummary: 120, reason: 200 } as const;

/** Most minutes that one todo can have saved. */
export const maxMinutesSaved = 10_000;

/** A todo that became done after an agent worked on it. */
export interface WorkedTodo {
  title: string | null;
  content: string | null;
}

/** What an agent did for it, over all its runs. */
export interface RunFacts {
  /** Agent minutes that were charged. */
  minutesUsed: number;
  toolCalls: readonly { name: string; isError: boolean }[];
  lines: readonly ChatLine[];
}

/** Minutes that a person would have spent: a whole number from 0 to 10,000. The reason is one line. */
export interface Estimate {
  minutes: number;
  reason: string;
  confidence: 'low' | 'medium' | 'high';
}

/**
 * Writes what the service shows beside what people wrote. But for `capture`, every text is one line within its limit,
 * without Markdown.
 * @throws the signal's reason, when it is aborted; `capture` also ModelFault.
 */
export interface Writer {
  /** Of a chat, from its first message. */
  title(firstMessage: string, signal: AbortSignal): Promise<string>;
  /** The status of a chat in one line. */
  subtitle(chat: { title: string | null; lines: readonly ChatLine[] }, signal: AbortSignal): Promise<string>;
  skillSummary(name: string, instructions: string | null, signal: AbortSignal): Promise<string>;
  minutesSaved(todo: WorkedTodo, run: RunFacts, signal: AbortSignal): Promise<Estimate>;
  /**
   * Of a note or a recording. Nothing is written, and no model asked, where there is no text.
   * @throws ModelFault when the configured model gives no usable answer: there is no fallback here.
   */
  capture(material: CaptureMaterial, options: DigestOptions): Promise<CaptureDigest>;
}
