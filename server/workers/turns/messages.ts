import type { ToolOutcome } from '../../../adapters/tools/agent-tools.ts';
import type { Db } from '../../../db/client.ts';
import type { MessageBlock } from '../../../domain/chats/shapes.ts';
import { messagesAfter, recentMessages, type TurnMessage } from '../../../domain/turns/history.ts';
import type { Claim } from '../../../domain/turns/steps.ts';
import { trimmedOutput } from '../../../engine/prompt/budget.ts';

/**
 * Bytes of earlier messages that a turn reads, and characters of outputs that it holds: more than a conversation may
 * have.
 */
const maxHeld = 400_000;

/** Characters of the outputs of one answer's calls, after which further ones are cut: those of a whole conversation. */
const maxOfAnswer = 200_000;

/**
 * Characters of an output that is cut, then of one that is cut again; what is cut says so in fewer than `noteLength`.
 */
const cuts = [1000, 0] as const;
const noteLength = 200;

/** The latest answers, whose outputs are cut last. */
const keepLast = 6;

const lengths = new WeakMap<TurnMessage, number>();

function lengthOfBlock(block: MessageBlock): number {
  return block.type === 'tool_result' ? (JSON.stringify(block.output)?.length ?? 0) : 0;
}

/** Characters of the outputs in a message. */
function lengthOf(message: TurnMessage): number {
  const length = lengths.get(message) ?? message.blocks.reduce((sum, block) => sum + lengthOfBlock(block), 0);
  lengths.set(message, length);
  return length;
}

const lengthOfAll = (messages: readonly TurnMessage[]) => messages.reduce((sum, message) => sum + lengthOf(message), 0);

function shorter(output: unknown, longest: number): unknown {
  const { note, beginning } = (output ?? {}) as { note?: unknown; beginning?: unknown };
  const isCut = typeof note === 'string' && typeof beginning === 'string';
  return isCut ? { note, beginning: beginning.slice(0, longest).toWellFormed() } : trimmedOutput(output, longest);
}

function cut(message: TurnMessage, longest: number): TurnMessage {
  const blocks = message.blocks.map((block) =>
    block.type === 'tool_result' ? { ...block, output: shorter(block.output, longest) } : block,
  );
  return { ...message, blocks };
}

/** The place of the first of the latest answers. */
function placeOfLatest(messages: readonly TurnMessage[]): number {
  return [...messages.keys()].filter((place) => messages[place]?.role === 'agent').at(-keepLast) ?? 0;
}

/**
 * Cuts outputs until those of all messages have no more than `maxHeld` characters: older ones first, as far as needed.
 */
export function cutOutputs(messages: TurnMessage[]): void {
  let held = lengthOfAll(messages);
  if (held <= maxHeld) return;
  for (const end of [placeOfLatest(messages), messages.length]) {
    for (const longest of cuts) {
      for (const [place, message] of messages.slice(0, end).entries()) {
        if (held <= maxHeld) return;
        if (lengthOf(message) <= longest + noteLength) continue;
        const less = cut(message, longest);
        messages[place] = less;
        held += lengthOf(less) - lengthOf(message);
      }
    }
  }
}

/** Reads on what was written in the chat of a turn: decisions of people come while it works. */
export async function readOn(db: Db, claim: Claim, messages: TurnMessage[]): Promise<void> {
  const last = messages.at(-1);
  const added = last ? messagesAfter(db, claim, last.sequence) : recentMessages(db, claim, maxHeld);
  messages.push(...(await added));
  cutOutputs(messages);
}

/** What a call came to, cut where the calls of the same answer returned much before it. */
export function withinAnswer(messages: readonly TurnMessage[], outcome: ToolOutcome): ToolOutcome {
  const asked = messages.findLastIndex(({ role }) => role === 'agent');
  if (lengthOfAll(messages.slice(asked)) < maxOfAnswer) return outcome;
  const output = trimmedOutput(outcome.output, cuts[0]);
  return { ...outcome, output, truncated: outcome.truncated || output !== outcome.output };
}
