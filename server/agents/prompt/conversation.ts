import type { MessageAnswer } from '../../../routers/chats/shapes.ts';
import type { ToolCall, Utterance } from '../engine.ts';
import { trimmedOutput, type Unit, withinBudget } from './budget.ts';
import { dataBlock, oneLine } from './data.ts';
import { type CallStory, isAboutCalls, outcomeOf, storiesOf } from './outcomes.ts';

export interface ConversationOptions {
  /** That of the system prompt. */
  nonce: string;
  /** Names of agents by id, for messages that came from one. */
  agentNames: ReadonlyMap<string, string>;
  /** Longest conversation in characters of JSON; 200,000 by default. */
  budget?: number;
  /** How many of the latest messages stay whatever their length, a message with calls and their results being one. */
  keepLast?: number;
  /** Longest output of one tool call in characters of JSON. */
  longestOutput?: number;
}

/** The text of a message that is not about calls. */
function saidIn({ blocks, text }: MessageAnswer): string {
  const texts = blocks.filter((block) => block.type === 'text').map((block) => block.text);
  return texts.length > 0 || blocks.some((block) => block.type === 'tool_call') ? texts.join('\n\n') : text;
}

function referencesOf({ blocks }: MessageAnswer, nonce: string): string {
  const rows = blocks
    .filter((block) => block.type === 'reference')
    .map(({ resource, resourceId, title }) => `${resource} ${resourceId}${title ? `: ${oneLine(nonce, title)}` : ''}`);
  return rows.length === 0 ? '' : `\n\n${dataBlock(nonce, 'references', {}, rows.join('\n'))}`;
}

function userUnit(message: MessageAnswer, { nonce, agentNames }: ConversationOptions): Unit {
  const references = referencesOf(message, nonce);
  const text = saidIn(message);
  if (message.agentId === null) return [{ role: 'user', text: text + references }];
  const name = oneLine(nonce, agentNames.get(message.agentId) ?? 'unknown', 100);
  const marked = `(A message from the agent “${name}”, not from a person.)\n${dataBlock(nonce, 'message', { from: name }, text)}`;
  return [{ role: 'user', text: marked + references, from: { kind: 'agent', name } }];
}

function noteOf(text: string): Utterance {
  return { role: 'user', from: { kind: 'service' }, text: `(Note of the service: ${text})` };
}

/** Ids that are unique in the conversation, as providers want them. */
function uniqueId(id: string, sequence: number, used: Set<string>): string {
  let unique = id;
  for (let again = 0; used.has(unique); again++) unique = `${id}_${sequence}${again === 0 ? '' : `_${again}`}`;
  used.add(unique);
  return unique;
}

function agentUnit(
  message: MessageAnswer,
  stories: readonly CallStory[],
  used: Set<string>,
  longestOutput: number,
): Unit {
  const text = saidIn(message);
  const ids = stories.map(({ call }) => uniqueId(call.id, message.sequence, used));
  const toolCalls = stories.map(({ call }, place): ToolCall => {
    return { id: ids[place] ?? call.id, name: call.name, input: call.input };
  });
  const said: Utterance = { role: 'agent', text, toolCalls };
  if (stories.length === 0) return text.trim() === '' ? [] : [said];
  const results = stories.map((story, place) => {
    const { isError, output } = outcomeOf(story);
    const shown = trimmedOutput(output ?? null, longestOutput);
    return { toolCallId: ids[place] ?? story.call.id, name: story.call.name, isError, output: shown };
  });
  const notes = stories.flatMap(({ call, decision }): Utterance[] => {
    const note = decision?.decision === 'approve' ? decision.note?.trim() : undefined;
    return note ? [noteOf(`a person approved ${call.name} and said: ${note}`)] : [];
  });
  return [said, { role: 'tools', results }, ...notes];
}

/** What the service noted, such as why a turn failed. */
function noteUnit(message: MessageAnswer): Unit {
  const text = saidIn(message).trim();
  return text === '' ? [] : [noteOf(text)];
}

/**
 * The conversation of a model out of the stored messages of a chat, in their order, over all turns. Every call of an
 * agent is followed by exactly one result, those of one message together and in the order of the calls; calls that were
 * never executed say why. Too long a conversation loses its oldest exchanges (`withinBudget`).
 */
export function conversationOf(messages: readonly MessageAnswer[], options: ConversationOptions): Utterance[] {
  const { budget = 200_000, keepLast = 6, longestOutput = 40_000 } = options;
  const stories = storiesOf(messages);
  const used = new Set<string>();
  const units = messages.map((message) => {
    // Results and decisions are told with their calls.
    if (message.role !== 'agent' && isAboutCalls(message)) return [];
    if (message.role === 'user') return userUnit(message, options);
    if (message.role === 'system') return noteUnit(message);
    return agentUnit(message, stories.get(message.sequence) ?? [], used, longestOutput);
  });
  return withinBudget(
    units.filter((unit) => unit.length > 0),
    budget,
    keepLast,
  ).flat();
}
