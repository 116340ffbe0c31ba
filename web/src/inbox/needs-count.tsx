import { useEffect } from 'react';
import { useUnsentMessages } from '../chats/use-outbox.ts';
import { useBadge } from '../session/app-badge.ts';
import { useNeeds } from './use-needs.ts';
import { useSnoozes } from './use-snoozes.ts';

const pollMs = 30_000;

/** What is counted in the sidebar. */
export interface Counts {
  needs: number;
  /** The messages to chats that are not sent, and what is said about them after their number. */
  unsent: { count: number; words: string };
}

interface NeedsCountProps {
  workspaceId: string;
  onCount: (counts: Counts) => void;
}

/**
 * Counts what needs the person and is not put off, as far as it is read, also on the icon of the installed application,
 * and the messages to chats that wait to be sent, or those that were refused, which wait for the person.
 */
export function NeedsCount({ workspaceId, onCount }: NeedsCountProps) {
  const { approvals, failed, suggestions } = useNeeds(workspaceId, pollMs);
  const { ahead } = useSnoozes(workspaceId, pollMs);
  const found: readonly { id: string }[] = [
    ...(approvals.data?.pages.flatMap(({ data }) => data) ?? []),
    ...(suggestions.data?.pages.flatMap(({ data }) => data) ?? []),
    ...(failed.data?.map(({ run }) => run) ?? []),
  ];
  const needs = found.filter(({ id }) => !ahead?.has(id)).length;
  const messages = useUnsentMessages(workspaceId);
  const refused = messages.filter(({ state }) => state === 'refused').length;
  // One that is sent without a problem so far is about to be there.
  const waiting = messages.filter(
    ({ state, problem }) => state === 'waiting' || (state === 'sending' && problem),
  ).length;
  const count = refused || waiting;
  const words = refused > 0 ? 'not sent' : waiting === 1 ? 'waits' : 'wait';
  useEffect(() => onCount({ needs, unsent: { count, words } }), [needs, count, words, onCount]);
  useBadge(
    needs,
    [approvals, suggestions, failed].every(({ data }) => data !== undefined),
  );
  return null;
}
