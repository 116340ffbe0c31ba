import type { ScopeCatalog, ScopeName } from '../api/queries.ts';
import { Badge } from '../ui/rows.tsx';
import { daysUntil } from '../ui/time.tsx';

const names = { todos: 'Todos', chats: 'Chats', agents: 'Agents', captures: 'Captures' } as const;

export type Resource = keyof typeof names;

export const resources = Object.entries(names).map(([resource, title]) => ({ resource: resource as Resource, title }));

/** Scopes as a short line: “Todos: read and change · Captures: change”. */
export function scopeLine(scopes: readonly string[]): string {
  const parts = resources.flatMap(({ resource, title }) => {
    const reads = scopes.includes(`${resource}:read`);
    const writes = scopes.includes(`${resource}:write`);
    if (!reads && !writes) return [];
    return [`${title}: ${reads && writes ? 'read and change' : reads ? 'read' : 'change'}`];
  });
  return parts.join(' · ');
}

/** The preset with exactly these scopes, if any. */
export function presetOf(catalog: ScopeCatalog, chosen: readonly ScopeName[]) {
  return catalog.presets.find(
    ({ scopes }) => scopes.length === chosen.length && scopes.every((scope) => chosen.includes(scope)),
  );
}

interface LifeBadgeProps {
  expiresAt: string | null;
  revokedAt: string | null;
}

/** Badge of a revoked, expired or soon expiring credential. */
export function LifeBadge({ expiresAt, revokedAt }: LifeBadgeProps) {
  if (revokedAt !== null) return <Badge tone="bad">Revoked</Badge>;
  if (expiresAt === null) return null;
  const days = daysUntil(expiresAt);
  if (days <= 0) return <Badge tone="bad">Expired</Badge>;
  if (days > 7) return null;
  return <Badge tone="warn">Expires in {days === 1 ? 'a day' : `${days} days`}</Badge>;
}
