import type { MessageAnswer, MessageBlock, ToolCallBlock } from '../../domain/chats/shapes.ts';

/** What a tool call came to, for the model. */
export interface Outcome {
  isError: boolean;
  output: unknown;
  quotesCaptures?: boolean | undefined;
}

type Decision = Extract<MessageBlock, { type: 'approval_decision' }>;

/** A call of an agent's message, with what was stored about it later. */
export interface CallRecord {
  call: ToolCallBlock;
  result: Outcome | undefined;
  decision: Decision | undefined;
  /** A person wrote before it was answered. */
  overtaken: boolean;
}

function refusal(code: string, message: string): Outcome {
  return { isError: true, output: { code, message } };
}

/** The outcome of a call without a result. */
function unanswered({ call, decision, overtaken }: CallRecord): Outcome {
  if (decision?.decision === 'deny') {
    const note = decision.note?.trim();
    return refusal('denied', note ? `A person denied this call: ${note}` : 'A person denied this call.');
  }
  if (decision?.decision === 'expired') {
    return refusal('expired', 'Not executed: nobody decided about this call in time.');
  }
  if (decision?.decision === 'superseded' || (!decision && call.requiresApproval && overtaken)) {
    return refusal('superseded', 'Not executed: the person wrote instead of approving. See the next message.');
  }
  return refusal('not_executed', 'Not executed: the turn was stopped before.');
}

/** What a call came to: its stored result, else why there is none. */
export function outcomeOf(record: CallRecord): Outcome {
  return record.result ?? unanswered(record);
}

/** Whether a message is about calls: a result, or a person's decision. */
export function isAboutCalls({ blocks }: MessageAnswer): boolean {
  return blocks.some(({ type }) => type === 'tool_result' || type === 'approval_decision');
}

/**
 * The calls of each agent message, by its sequence, with the results and decisions stored after it. A result belongs to
 * the latest call of its id that has none: models may use an id again in a later message.
 */
export function callRecordsOf(messages: readonly MessageAnswer[]): ReadonlyMap<number, readonly CallRecord[]> {
  const records = new Map<number, CallRecord[]>();
  const byCall = new Map<string, CallRecord>();
  const byApproval = new Map<string, CallRecord>();
  for (const message of messages) {
    const { role, sequence, blocks } = message;
    if (role === 'user' && !isAboutCalls(message))
      for (const record of byCall.values()) record.overtaken ||= record.result === undefined;
    for (const block of blocks) {
      if (block.type === 'tool_call' && role === 'agent') {
        const record: CallRecord = { call: block, result: undefined, decision: undefined, overtaken: false };
        records.set(sequence, [...(records.get(sequence) ?? []), record]);
        byCall.set(block.id, record);
        if (block.approvalId) byApproval.set(block.approvalId, record);
      } else if (block.type === 'approval_request') {
        const record = byCall.get(block.toolCallId);
        if (record) byApproval.set(block.approvalId, record);
      } else if (block.type === 'tool_result') {
        const record = byCall.get(block.toolCallId);
        if (record) record.result ??= block;
      } else if (block.type === 'approval_decision') {
        const record = byApproval.get(block.approvalId);
        if (record) record.decision = block;
      }
    }
  }
  return records;
}
