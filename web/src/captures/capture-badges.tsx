import { Badge } from '../ui/rows.tsx';

interface CaptureBadgesProps {
  status: 'recording' | 'processing' | 'completed' | 'failed';
  isArchived: boolean;
}

/** How a capture stands, where that is worth a word. */
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

/** What a capture goes by. */
export function nameOf({ title, type }: { title: string | null; type: 'note' | 'recording' }): string {
  return title ?? (type === 'note' ? 'Untitled note' : 'Untitled recording');
}
