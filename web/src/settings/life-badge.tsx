import { Badge } from '../ui/rows.tsx';
import { daysUntil } from '../ui/time.tsx';

interface LifeBadgeProps {
  expiresAt: string | null;
  revokedAt: string | null;
}

/** Whether a credential has ended, or is about to. */
export function LifeBadge({ expiresAt, revokedAt }: LifeBadgeProps) {
  if (revokedAt !== null) return <Badge tone="bad">Revoked</Badge>;
  if (expiresAt === null) return null;
  const days = daysUntil(expiresAt);
  if (days <= 0) return <Badge tone="bad">Expired</Badge>;
  if (days > 7) return null;
  return <Badge tone="warn">Expires in {days === 1 ? 'a day' : `${days} days`}</Badge>;
}
