import { Badge } from '../ui/rows.tsx';

interface CaptureBadgesProps {
  status: 'recording' | 'processing' | 'completed' | 'failed';
  isArchived: boolean;
}

/** Badges for a status other than completed, and for archived captures. */
export function CaptureBadges({ status, isArchived }: CaptureBadgesProps) {
  return (
    <>
      {status === 'recording' && <Badge tone="bad">Recording</Badge>}
      {status === 'processing' && <Badge tone="warn">Processing</Badge>}
      {status === 'failed' && <Badge tone="bad">Failed</Badge>}
      {isArchived && <Badge>Archived</Badge>}
    </>
  );
}

/** The display name of a capture. */
export function nameOf({ title, type }: { title: string | null; type: 'note' | 'recording' }): string {
  return title ?? (type === 'note' ? 'Untitled note' : 'Untitled recording');
}
