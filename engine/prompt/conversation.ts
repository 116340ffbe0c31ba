import type { MessageAnswer } from '../../domain/chats/shapes.ts';
import type { ToolCall, Utterance } from '../engine.ts';
import { trimmedOutput, type Unit, withinBudget } from './budget.ts';
import { dataBlock, oneLine } from './data.ts';
import { type CallRecord, callRecordsOf, isAboutCalls, type Outcome, outcomeOf } from './outcomes.ts';

export interface ConversationOptions {
  /** The nonce of the system prompt (`newNonce`). */
  nonce: string;
  /** Names of agents by id, for messages that came from one. */
  agentNames: ReadonlyMap<string, string>;
  /** The share of the usual lengths that the model takes, at most 1. */
  share?: number;
  /** Longest conversation in characters of JSON; 200,000 by default. */
  budget?: number;
  /** How many of the latest messages stay whatever their length, a message with calls and their results being one. */
  keepLast?: number;
  /** Longest output of one tool call in characters of JSON. */
  maxOutputLength?: number;
  /** Whether the output of a tool is not shown any more: the turn may not read it. */
  isHidden?: (toolName: string, outcome: Outcome) => boolean;
}

/** The text of a message that is not about calls. */
function textOf({ blocks, text }: MessageAnswer): string {
  const texts = blocks.filter((block) => block.type === 'text').map((block) => block.text);
  return texts.length > 0 || blocks.some((block) => block.type === 'tool_call') ? texts.join('\n\n') : text;
}

function referencesOf({ blocks }: MessageAnswer, nonce: string): string {
  const rows = blocks
    .filter((block) => block.type === 'reference')
    .map(({ resource, resourceId, title }) => `${resource} ${resourceId}${title ? `: ${oneLine(nonce, title)}` : ''}`);
  return rows.length === 0 ? '' : `\n\n${dataBlock(nonce, 'references', {}, rows.join('\n'))}`;
}

/** The opening message of a run without a message of a person. It quotes the todo, whose words are data. */
const opening = /^Work on the todo “[\s\S]*”\.$/;

/** The text of a user; of an opening only the part that is not data, as the todo is among the references. */
function userText(message: MessageAnswer): string {
  const text = textOf(message);
  const hasTodo = message.blocks.some((block) => block.type === 'reference' && block.resource === 'todo');
  return hasTodo && opening.test(text) ? 'Work on this todo.' : text;
}

function userUnit(message: MessageAnswer, { nonce, agentNames }: ConversationOptions): Unit {
  const references = referencesOf(message, nonce);
  const text = userText(message);
  if (message.agentId === null) return [{ role: 'user', text: text + references }];
  const name = oneLine(nonce, agentNames.get(message.agentId) ?? 'unknown', 100);
  const marked = `(A message from an agent, not from a person.)\n${dataBlock(nonce, 'message', { from: name }, text)}`;
  return [{ role: 'user', text: marked + references, from: { kind: 'agent', name } }];
}

function noteOf(text: string): Utterance {
  return { role: 'user', from: { kind: 'service' }, text: `(Note of the service: ${text})` };
}

/** Ids that are unique in the conversation, as providers require. */
function uniqueId(id: string, sequence: number, used: Set<string>): string {
  let unique = id;
  for (let again = 0; used.has(unique); again++) unique = `${id}_${sequence}${again === 0 ? '' : `_${again}`}`;
  used.add(unique);
  return unique;
}

function agentUnit(
  message: MessageAnswer,
  records: readonly CallRecord[],
  used: Set<string>,
  shown: (toolName: string, outcome: Outcome) => unknown,
): Unit {
  const text = textOf(message);
  const ids = records.map(({ call }) => uniqueId(call.id, message.sequence, used));
  const toolCalls = records.map(({ call, decision }, place): ToolCall => {
    return { id: ids[place] ?? call.id, name: call.name, input: decision?.input ?? call.input };
  });
  const answer: Utterance = { role: 'agent', text, toolCalls };
  if (records.length === 0) return text.trim() === '' ? [] : [answer];
  const results = records.map((record, place) => {
    const outcome = outcomeOf(record);
    const { id, name } = record.call;
    return { toolCallId: ids[place] ?? id, name, isError: outcome.isError, output: shown(name, outcome) };
  });
  const notes = records.flatMap(({ call, decision }): Utterance[] => {
    if (decision?.decision !== 'approve') return [];
    const note = decision.note?.trim();
    if (decision.input === undefined) return note ? [noteOf(`a person approved ${call.name} and said: ${note}`)] : [];
    const changed = `a person changed the arguments of ${call.name} before approving it; the call has the changed ones.`;
    return [noteOf(note ? `${changed} They said: ${note}` : changed)];
  });
  return [answer, { role: 'tools', results }, ...notes];
}

/** What the service noted, such as why a turn failed. */
function noteUnit(message: MessageAnswer): Unit {
  const text = textOf(message).trim();
  return text === '' ? [] : [noteOf(text)];
}

/** What an earlier turn was allowed to read, and this one is not. */
const hidden = { note: 'This output is not shown: the credential for which you work may not read it.' };

/** The unit of each message that makes one, and how many messages before it are not there. */
function unitsOf(messages: readonly MessageAnswer[], options: ConversationOptions) {
  const { share = 1, maxOutputLength = 40_000 * share, isHidden = () => false } = options;
  const shown = (name: string, outcome: Outcome) =>
    isHidden(name, outcome) ? hidden : trimmedOutput(outcome.output ?? null, maxOutputLength);
  const records = callRecordsOf(messages);
  const used = new Set<string>();
  const units: Unit[] = [];
  const missing = new Map<number, number>();
  const unitOf = (message: MessageAnswer): Unit => {
    // Results and decisions are part of the unit of their calls.
    if (message.role !== 'agent' && isAboutCalls(message)) return [];
    if (message.role === 'user') return userUnit(message, options);
    if (message.role === 'system') return noteUnit(message);
    return agentUnit(message, records.get(message.sequence) ?? [], used, shown);
  };
  let last = (messages[0]?.sequence ?? 1) - 1;
  let absent = 0;
  for (const message of messages) {
    absent += message.sequence - last - 1;
    last = message.sequence;
    const unit = unitOf(message);
    if (unit.length === 0) continue;
    if (absent > 0) missing.set(units.length, absent);
    absent = 0;
    units.push(unit);
  }
  return { units, missing };
}

/**
 * The conversation of a model out of the stored messages of a chat, in their order, over all turns; where some are not
 * given, a note stands for them. Every call of an agent is followed by exactly one result, those of one message
 * together and in the order of the calls; a call that was never executed has the reason. Too long a conversation loses
 * its oldest exchanges (`withinBudget`).
 */
export function conversationOf(messages: readonly MessageAnswer[], options: ConversationOptions): Utterance[] {
  const { share = 1, budget = 200_000 * share, keepLast = 6 } = options;
  const { units, missing } = unitsOf(messages, options);
  return withinBudget(units, budget, keepLast, missing, share).flat();
}
