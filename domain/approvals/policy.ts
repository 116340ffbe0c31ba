import type { ToolMeta } from '../operations.ts';

/** The chat and the todo that an agent works on. */
export interface Given {
  chatId: string;
  todoId: string | null;
  /** Whether the todo has sub-todos, archived ones included. */
  hasSubTodos: boolean;
}

/** Changes of one todo. Other tools that take a todo, such as a run or a chat, start an agent. */
const changesTodo = new Set(['update_todo', 'complete_todo', 'reopen_todo', 'archive_todo', 'unarchive_todo']);
/** Those of them that change all sub-todos too, whoever works on these. */
const changesSubTodos = new Set(['archive_todo', 'unarchive_todo']);
const changesChat = new Set(['send_chat_message', 'stop_chat']);

/** Fields of a todo that start an agent, now or later. */
const startsAgents = ['assignees', 'schedule', 'schedulePaused', 'run'];

const reasons = {
  limits: 'It changes an agent or a skill. A person decides what agents may do, whatever their settings are.',
  subTodos: 'The todo has sub-todos, which are changed with it, whoever they are assigned to.',
  starts: 'It changes who works on the todo or when, which can put another agent to work.',
  beyond: 'This agent asks before every change, except changes to the todo and the chat that it works on.',
};

function isSame(given: string | null, named: unknown): boolean {
  return given !== null && typeof named === 'string' && named.toLowerCase() === given.toLowerCase();
}

/** Whether the reason for an approval may depend on the sub-todos of the given todo. */
export function regardsSubTodos(toolName: string): boolean {
  return changesSubTodos.has(toolName);
}

/** Whether a field is given, as a new value or as one of those to `clear`. */
function isGiven({ clear, ...fields }: Record<string, unknown>, name: string): boolean {
  return fields[name] !== undefined || (Array.isArray(clear) && clear.includes(name));
}

/**
 * The reason why a person must approve a call of the tool with this input, as text for that person; null if no approval
 * is needed (CONTRACT §6). Reading never needs one. Changing agents or skills always does: an agent must not loosen its
 * own limits, nor those of others. Other changes need one when `requiresApproval` is set, except changes of the given
 * todo and chat; sub-todos of the todo are not included in this exception.
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
  if (given.hasSubTodos && changesSubTodos.has(tool.name)) return reasons.subTodos;
  return startsAgents.some((name) => isGiven(fields, name)) ? reasons.starts : null;
}
