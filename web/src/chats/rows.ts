import type { Message } from './queries.ts';

/* The rows of a conversation: texts, decisions of people, and the tool calls of an agent, folded into steps. */

type Block = Message['blocks'][number];
type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** A tool call, and what came of it as far as that is loaded. */
export interface Step {
  call: BlockOf<'tool_call'>;
  result: BlockOf<'tool_result'> | null;
  decision: BlockOf<'approval_decision'>['decision'] | null;
  /** What the tool was called with, where the person who approved it changed it. */
  approved?: unknown;
}

/** A decision, and the call that it is about as far as that is loaded. */
export interface Decided {
  decision: BlockOf<'approval_decision'>;
  call: BlockOf<'tool_call'> | undefined;
}

interface OfSequence {
  key: string;
  /** The first message that the row is made of. */
  sequence: number;
}

/** One row of a conversation. */
export type ChatRow =
  | (OfSequence & { type: 'text'; message: Message })
  | (OfSequence & { type: 'decision'; message: Message; decided: readonly Decided[] })
  | (OfSequence & { type: 'steps'; steps: Step[] });

/** The text that a message shows: its blocks of text. Titles of calls and results are shown as steps. */
export function textOf({ blocks }: Message): string {
  return blocks
    .flatMap((block) => (block.type === 'text' ? block.text : []))
    .join('\n\n')
    .trim();
}

/** What a message refers to. */
export function referencesOf({ blocks }: Message): BlockOf<'reference'>[] {
  return blocks.filter((block) => block.type === 'reference');
}

/**
 * The rows of messages, the oldest first. Calls that follow each other are one row, also over several messages; a
 * result or a decision belongs to its call, wherever it is.
 */
export function rowsOf(messages: readonly Message[]): ChatRow[] {
  const rows: ChatRow[] = [];
  const steps = new Map<string, Step>();
  const asked = new Map<string, Step>();
  let group: Step[] | null = null;
  for (const message of messages) {
    const { sequence, blocks } = message;
    const decided: Decided[] = [];
    if (textOf(message) !== '' || referencesOf(message).length > 0) {
      rows.push({ type: 'text', key: `t${sequence}`, sequence, message });
      group = null;
    }
    for (const block of blocks) {
      if (block.type === 'tool_call') {
        const step: Step = { call: block, result: null, decision: null };
        steps.set(block.id, step);
        if (block.approvalId !== null) asked.set(block.approvalId, step);
        if (group === null) {
          group = [];
          rows.push({ type: 'steps', key: `s${sequence}`, sequence, steps: group });
        }
        group.push(step);
      } else if (block.type === 'tool_result') {
        const step = steps.get(block.toolCallId);
        if (step) step.result = block;
      } else if (block.type === 'approval_decision') {
        const step = asked.get(block.approvalId);
        if (step) Object.assign(step, { decision: block.decision, approved: block.input });
        decided.push({ decision: block, call: step?.call });
      }
    }
    if (decided.length > 0) {
      rows.push({ type: 'decision', key: `d${sequence}`, sequence, message, decided });
      group = null;
    }
  }
  return rows;
}

/** Whether two rows show the same, so that one that is settled is rendered once. */
export function isSameRow(a: ChatRow, b: ChatRow): boolean {
  if (a.key !== b.key) return false;
  if (a.type === 'decision' && b.type === 'decision')
    return a.message === b.message && a.decided.every(({ call }, place) => call === b.decided[place]?.call);
  if (a.type !== 'steps' || b.type !== 'steps') return 'message' in a && 'message' in b && a.message === b.message;
  const isSame = (step: Step, place: number) => {
    const other = b.steps[place];
    return other && step.call === other.call && step.result === other.result && step.decision === other.decision;
  };
  return a.steps.length === b.steps.length && a.steps.every(isSame);
}

/** What a person may send after a turn failed: the last text again if the agent did nothing yet, else to go on. */
export function retryText(messages: readonly Message[]): string {
  const place = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[place];
  const hasActed = messages.slice(place + 1).some(({ blocks }) => blocks.some(({ type }) => type === 'tool_call'));
  const text = asked && textOf(asked);
  return text && !hasActed ? text : 'Please continue where you stopped.';
}
