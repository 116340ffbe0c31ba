import { isOpenAt } from './hours.ts';
import type { Agent } from './merge.ts';

/** A chat that an agent works in or waits in. `agentId` is null where the default agent answers. */
export interface OpenChat {
  id: string;
  agentId: string | null;
  status: 'queued' | 'running' | 'awaiting_input';
}

/** What an agent does now. `chatId`: of the latest chat that is a reason for it. */
export interface AgentState {
  kind: 'archived' | 'needs-you' | 'working' | 'queued' | 'off-hours' | 'idle';
  text: string;
  tone: 'plain' | 'good' | 'warn';
  chatId: string | null;
}

const state = (
  kind: AgentState['kind'],
  text: string,
  tone: AgentState['tone'],
  chats: readonly OpenChat[] = [],
): AgentState => ({ kind, text, tone, chatId: chats[0]?.id ?? null });

const several = (count: number, text: string) => (count > 1 ? `${text} (${count})` : text);

/**
 * What an agent does at an instant, in milliseconds since 1970: what needs a person first, then its work. `chats` are
 * the open ones of the workspace, the latest first.
 */
export function stateOf(agent: Agent, chats: readonly OpenChat[], now: number): AgentState {
  if (agent.isArchived) return state('archived', 'Archived', 'plain');
  const own = chats.filter(({ agentId }) => agentId === agent.id || (agentId === null && agent.isDefault));
  const of = (status: OpenChat['status']) => own.filter((chat) => chat.status === status);
  const [waiting, running, queued] = [of('awaiting_input'), of('running'), of('queued')];
  if (waiting.length > 0) return state('needs-you', several(waiting.length, 'Needs you'), 'warn', waiting);
  if (running.length > 0) return state('working', several(running.length, 'At work'), 'good', running);
  const { workingHoursEnabled, workingHours } = agent;
  const isOff = workingHoursEnabled && workingHours !== null && !isOpenAt(workingHours, now);
  if (queued.length > 0) {
    const text = isOff ? 'Waits for its working hours' : 'Waiting to start';
    return state('queued', several(queued.length, text), 'plain', queued);
  }
  return isOff ? state('off-hours', 'Off hours', 'plain') : state('idle', 'Idle', 'plain');
}

/** The first line of a text that has anything; null when none has. */
export function firstLineOf(text: string | null): string | null {
  const line = (text ?? '').split('\n').find((each) => each.trim() !== '');
  return line?.trim() ?? null;
}
