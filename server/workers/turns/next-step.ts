import type { MessageBlock, ToolCallBlock } from '../../../domain/chats/shapes.ts';
import type { TurnMessage } from '../../../domain/turns/history.ts';

/** What was decided of a call that needed a person, by call id. */
export type Decisions = ReadonlyMap<string, { status: string; input: unknown }>;

/** What a turn does next. */
export type Next =
  | { kind: 'ask' }
  | { kind: 'call'; call: ToolCallBlock; input: unknown }
  /** Nothing is left but calls that a person must decide. */
  | { kind: 'pause' };

function isCall(block: MessageBlock): block is ToolCallBlock {
  return block.type === 'tool_call';
}

/**
 * Where a turn stands, from its messages and decisions alone: that is how a crash repeats nothing and loses nothing.
 * Calls run in the order of the model's answer; those that wait for a person do not hold up the others.
 */
export function nextOf(messages: readonly TurnMessage[], turnId: string, decisions: Decisions): Next {
  const mine = messages.filter((message) => message.turnId === turnId);
  const asked = mine.findLastIndex(({ role, blocks }) => role === 'agent' && blocks.some(isCall));
  if (asked < 0) return { kind: 'ask' };
  const answered = new Set(
    mine
      .slice(asked)
      .flatMap(({ blocks }) => blocks.flatMap((each) => (each.type === 'tool_result' ? each.toolCallId : []))),
  );
  let pending = false;
  for (const call of (mine[asked]?.blocks ?? []).filter(isCall)) {
    if (answered.has(call.id)) continue;
    if (!call.requiresApproval) return { kind: 'call', call, input: call.input };
    const decision = decisions.get(call.id);
    if (decision?.status === 'approved') return { kind: 'call', call, input: decision.input };
    if (decision?.status === 'pending') pending = true;
  }
  return pending ? { kind: 'pause' } : { kind: 'ask' };
}

/** Whether a person had or has to decide about a call of the turn. */
export function asksPerson(messages: readonly TurnMessage[], turnId: string): boolean {
  return messages.some((message) => {
    return message.turnId === turnId && message.blocks.some((block) => isCall(block) && block.requiresApproval);
  });
}

/** How many answers of the engine a turn holds already. */
export function answersIn(messages: readonly TurnMessage[], turnId: string): number {
  return messages.filter((message) => message.turnId === turnId && message.role === 'agent').length;
}
