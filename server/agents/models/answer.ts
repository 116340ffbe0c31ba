import { randomUUID } from 'node:crypto';
import { Refused } from '../../providers/refusal.ts';
import type { EngineAnswer, ToolCall } from '../engine.ts';
import { answerFaults } from './faults.ts';
import type { StreamPart } from './provider.ts';
import { refusalOf } from './refusal.ts';
import { cleanText, readArguments, textSink } from './text.ts';

type Finish = Extract<StreamPart, { type: 'finish' }>;

/** Characters of the text of one answer, and of all arguments in it. */
const longest = 1_000_000;
const longestArguments = 2_000_000;
const cutNote = '\n\n[The answer was cut off here: it reached its length limit.]';

interface Heard {
  text: string;
  toolCalls: ToolCall[];
  /** Tool calls that began; fewer came whole when the stream was cut inside one. */
  begun: number;
  finish: Finish | undefined;
}

/** The answer out of what was heard. @throws ModelFault, or Refused when the stream did not end in order. */
function conclude({ text: raw, toolCalls, begun, finish }: Heard): EngineAnswer {
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
  const heard: Heard = { text: '', toolCalls: [], begun: 0, finish: undefined };
  const pass = textSink(onText);
  const say = (delta: string) => {
    heard.text += delta;
    if (heard.text.length > longest) throw new Refused({ unreadable: 'length' });
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
        if (block !== undefined && part.id !== block && !/\s$/.test(heard.text)) say('\n\n');
        block = part.id;
        break;
      case 'text-delta':
        say(part.delta);
        break;
      case 'tool-input-start':
        heard.begun++;
        break;
      case 'tool-input-delta':
        written += part.delta.length;
        if (written > longestArguments) throw new Refused({ unreadable: 'length' });
        break;
      case 'tool-call':
        heard.toolCalls.push({ id: randomUUID(), name: cleanText(part.toolName), input: readArguments(part.input) });
        break;
      case 'error':
        throw new Refused(refusalOf(part.error));
      case 'finish':
        heard.finish = part;
        break;
    }
  }
  return { answer: conclude(heard), usage: heard.finish?.usage };
}
