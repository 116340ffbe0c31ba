import { randomUUID } from 'node:crypto';
import type { EngineAnswer, ToolCall } from '../engine.ts';
import { Refused } from '../providers/errors.ts';
import { cleanText, readArguments, textSink } from '../providers/text.ts';
import { answerFaults, refusalOf } from './faults.ts';
import type { StreamPart } from './provider.ts';

type Finish = Extract<StreamPart, { type: 'finish' }>;

/** Characters of the text of one answer, and of all arguments in it. */
const maxTextLength = 1_000_000;
const maxArgumentsLength = 2_000_000;
const cutNote = '\n\n[The answer was cut off here: it reached its length limit.]';

interface Received {
  text: string;
  toolCalls: ToolCall[];
  /** Tool calls that began; fewer came whole when the stream was cut inside one. */
  begun: number;
  finish: Finish | undefined;
}

/** The answer that was received. @throws ModelFault, or Refused when the stream did not end properly. */
function conclude({ text: raw, toolCalls, begun, finish }: Received): EngineAnswer {
  const text = cleanText(raw);
  const blank = text.trim() === '';
  const reason = finish?.finishReason;
  // OpenAI calls a refusal in the model's own words `stop`; those words are the answer.
  if (reason?.unified === 'content-filter' && (reason.raw !== 'stop' || blank)) throw answerFaults.filtered();
  if (reason?.raw === 'model_context_window_exceeded' && (blank || begun > 0)) throw answerFaults.tooLong();
  if (reason?.unified === 'length') {
    if (begun > 0) throw answerFaults.cutInToolCall();
    if (blank) throw answerFaults.cutBeforeText();
    return { text: text + cutNote, toolCalls };
  }
  const inOrder = reason?.raw !== undefined && reason.raw !== 'error' && reason.unified !== 'error';
  if (!inOrder || begun > toolCalls.length) throw new Refused({ unreadable: 'stream' });
  if (toolCalls.length === 0 && (blank || reason.unified === 'tool-calls')) throw answerFaults.empty();
  return { text: blank ? '' : text, toolCalls };
}

/**
 * Reads a provider's stream to its end. Reasoning is left out; every error in it is a failure, whatever follows.
 * @throws ModelFault and Refused, and whatever `onText` throws.
 */
export async function readAnswer(
  stream: ReadableStream<StreamPart>,
  signal: AbortSignal,
  onText: (delta: string) => void,
): Promise<{ answer: EngineAnswer; usage: Finish['usage'] | undefined }> {
  const received: Received = { text: '', toolCalls: [], begun: 0, finish: undefined };
  const pass = textSink(onText);
  const addText = (delta: string) => {
    received.text += delta;
    if (received.text.length > maxTextLength) throw new Refused({ unreadable: 'length' });
    pass(delta);
  };
  let block: string | undefined;
  let written = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read().catch((error: unknown) => {
      throw new Refused(refusalOf(error));
    });
    if (done) break;
    signal.throwIfAborted();
    switch (part.type) {
      case 'text-start':
        if (block !== undefined && part.id !== block && !/\s$/.test(received.text)) addText('\n\n');
        block = part.id;
        break;
      case 'text-delta':
        addText(part.delta);
        break;
      case 'tool-input-start':
        received.begun++;
        break;
      case 'tool-input-delta':
        written += part.delta.length;
        if (written > maxArgumentsLength) throw new Refused({ unreadable: 'length' });
        break;
      case 'tool-call':
        received.toolCalls.push({ id: randomUUID(), name: cleanText(part.toolName), input: readArguments(part.input) });
        break;
      case 'error':
        throw new Refused(refusalOf(part.error));
      case 'finish':
        received.finish = part;
        break;
    }
  }
  return { answer: conclude(received), usage: received.finish?.usage };
}
