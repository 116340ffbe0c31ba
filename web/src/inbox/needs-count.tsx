import { useEffect } from 'react';
import { useBadge } from '../session/app-badge.ts';
import { useNeeds } from './use-needs.ts';
import { useSnoozes } from './use-snoozes.ts';

const pollMs = 30_000;

interface NeedsCountProps {
  workspaceId: string;
  onCount: (count: number) => void;
}

/** Counts what needs the person and is not put off, as far as it is read, also on the icon of the installed application. */
export function NeedsCount({ workspaceId, onCount }: NeedsCountProps) {
  const { approvals, failed, suggestions } = useNeeds(workspaceId, pollMs);
  const { ahead } = useSnoozes(workspaceId, pollMs);
  const found: readonly { id: string }[] = [
    ...(approvals.data?.pages.flatMap(({ data }) => data) ?? []),
    ...(suggestions.data?.pages.flatMap(({ data }) => data) ?? []),
    ...(failed.data?.map(({ run }) => run) ?? []),
  ];
  const count = found.filter(({ id }) => !ahead?.has(id)).length;
  useEffect(() => onCount(count), [count, onCount]);
  useBadge(
    count,
    [approvals, suggestions, failed].every(({ data }) => data !== undefined),
  );
  return null;
}
