import type { ToolMeta } from '../operations.ts';

/** The chat and the todo that an agent works on. */
export interface Given {
  chatId: string;
  todoId: string | null;
}

/** Changes of one todo. Other tools that take a todo, such as a run or a chat, start an agent. */
const changesTodo = new Set(['update_todo', 'complete_todo', 'reopen_todo', 'archive_todo', 'unarchive_todo']);
const changesChat = new Set(['send_chat_message', 'stop_chat']);

/** Fields of a todo that start an agent, now or later. */
const startsAgents = ['assignees', 'schedule', 'schedulePaused', 'run'];

const reasons = {
  limits: 'It changes an agent or a skill. A person decides what agents may do, whatever their settings are.',
  starts: 'It changes who works on the todo or when, which can put another agent to work.',
  beyond: 'This agent asks before every change, except changes to the todo and the chat that it works on.',
};

function isSame(given: string | null, named: unknown): boolean {
  return given !== null && typeof named === 'string' && named.toLowerCase() === given.toLowerCase();
}

/**
 * The reason why a person must approve a call of the tool with this input, as text for that person; null when no approval
 * is needed (CONTRACT §6). Reading never needs one. Changing agents or skills always does: an agent must not loosen its
 * own limits, nor another's. Other changes do when `requiresApproval` is set, except of the given todo and chat.
 */
export function approvalReason(
  tool: Pick<ToolMeta, 'name' | 'readOnly' | 'scopes'>,
  input: unknown,
  agent: { requiresApproval: boolean },
  given: Given,
): string | null {
  if (tool.readOnly) return null;
  if (tool.scopes.includes('agents:write')) return reasons.limits;
  if (!agent.requiresApproval) return null;
  const { todoId, chatId, ...fields } = (typeof input === 'object' && input !== null ? input : {}) as Record<
    string,
    unknown
  >;
  if (changesChat.has(tool.name) && isSame(given.chatId, chatId)) return null;
  if (!changesTodo.has(tool.name) || !isSame(given.todoId, todoId)) return reasons.beyond;
  return startsAgents.some((name) => fields[name] !== undefined) ? reasons.starts : null;
}
