import { useEffect } from 'react';
import { useUnsentMessages } from '../chats/use-outbox.ts';
import { useBadge } from '../session/app-badge.ts';
import { useNeeds } from './use-needs.ts';
import { useSnoozes } from './use-snoozes.ts';

const pollMs = 30_000;

interface NeedsCountProps {
  workspaceId: string;
  onCount: (counts: { needs: number; unsent: number }) => void;
}

/**
 * Counts what needs the person and is not put off, as far as it is read, also on the icon of the installed application, and
 * the messages to chats that wait to be sent.
 */
export function NeedsCount({ workspaceId, onCount }: NeedsCountProps) {
  const { approvals, failed, suggestions } = useNeeds(workspaceId, pollMs);
  const { ahead } = useSnoozes(workspaceId, pollMs);
  const found: readonly { id: string }[] = [
    ...(approvals.data?.pages.flatMap(({ data }) => data) ?? []),
    ...(suggestions.data?.pages.flatMap(({ data }) => data) ?? []),
    ...(failed.data?.map(({ run }) => run) ?? []),
  ];
  const unsent = useUnsentMessages(workspaceId).length;
  const needs = found.filter(({ id }) => !ahead?.has(id)).length;
  useEffect(() => onCount({ needs, unsent }), [needs, unsent, onCount]);
  useBadge(
    needs,
    [approvals, suggestions, failed].every(({ data }) => data !== undefined),
  );
  return null;
}
