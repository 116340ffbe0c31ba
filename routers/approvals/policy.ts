import type { ToolMeta } from '../metadata.ts';

/** What an agent was given to work on. */
export interface Given {
  chatId: string;
  todoId: string | null;
}

/** Changes of one todo. Whatever else names a todo, such as a run of it or a chat about it, starts an agent. */
const changesTodo = new Set(['update_todo', 'complete_todo', 'reopen_todo', 'archive_todo', 'unarchive_todo']);
const changesChat = new Set(['send_chat_message', 'stop_chat']);

/** Fields of a todo that put an agent to work, now or later. */
const startsAgents = ['assignees', 'schedule', 'schedulePaused', 'run'];

const reasons = {
  limits: 'It changes an agent or a skill. A person decides what agents may do, whatever their settings are.',
  starts: 'It changes who works on the todo or when, which can put another agent to work.',
  beyond: 'This agent asks before it changes anything but the todo and the chat it was given to work on.',
};

function isSame(given: string | null, named: unknown): boolean {
  return given !== null && typeof named === 'string' && named.toLowerCase() === given.toLowerCase();
}

/**
 * Why a person must agree before the agent calls the tool with this input, in words for that person; null when nobody
 * must (CONTRACT §6). Reading never needs it. Changing agents or skills always does: an agent must not loosen its own
 * limits, nor another's. Anything else does when `requiresApproval` is set, except on what the agent was given.
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
