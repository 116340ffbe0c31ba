import type { MessageAnswer, MessageBlock, ToolCallBlock } from '../../../routers/chats/shapes.ts';

/** What a tool call came to, for the model. */
export interface Outcome {
  isError: boolean;
  output: unknown;
}

type Decision = Extract<MessageBlock, { type: 'approval_decision' }>;

/** A call of an agent's message, with what was stored about it later. */
export interface CallStory {
  call: ToolCallBlock;
  result: Outcome | undefined;
  decision: Decision | undefined;
  /** A person wrote before it was answered. */
  overtaken: boolean;
}

function refusal(code: string, message: string): Outcome {
  return { isError: true, output: { code, message } };
}

/** What is told of a call that has no result. */
function unanswered({ call, decision, overtaken }: CallStory): Outcome {
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
export function outcomeOf(story: CallStory): Outcome {
  return story.result ?? unanswered(story);
}

/** Whether a message tells what became of a call: a result, or what a person decided about it. */
export function isAboutCalls({ blocks }: MessageAnswer): boolean {
  return blocks.some(({ type }) => type === 'tool_result' || type === 'approval_decision');
}

/**
 * The calls of each agent message, by its sequence, with the results and decisions stored after it. A result belongs to
 * the latest call of its id that has none: models may use an id again in a later message.
 */
export function storiesOf(messages: readonly MessageAnswer[]): ReadonlyMap<number, readonly CallStory[]> {
  const stories = new Map<number, CallStory[]>();
  const byCall = new Map<string, CallStory>();
  const byApproval = new Map<string, CallStory>();
  for (const message of messages) {
    const { role, sequence, blocks } = message;
    if (role === 'user' && !isAboutCalls(message))
      for (const story of byCall.values()) story.overtaken ||= story.result === undefined;
    for (const block of blocks) {
      if (block.type === 'tool_call' && role === 'agent') {
        const story: CallStory = { call: block, result: undefined, decision: undefined, overtaken: false };
        stories.set(sequence, [...(stories.get(sequence) ?? []), story]);
        byCall.set(block.id, story);
        if (block.approvalId) byApproval.set(block.approvalId, story);
      } else if (block.type === 'approval_request') {
        const story = byCall.get(block.toolCallId);
        if (story) byApproval.set(block.approvalId, story);
      } else if (block.type === 'tool_result') {
        const story = byCall.get(block.toolCallId);
        if (story) story.result ??= { isError: block.isError, output: block.output };
      } else if (block.type === 'approval_decision') {
        const story = byApproval.get(block.approvalId);
        if (story) story.decision = block;
      }
    }
  }
  return stories;
}
