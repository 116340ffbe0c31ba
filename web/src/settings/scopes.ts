import type { ScopeCatalog, ScopeName } from '../api/queries.ts';

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

/** The preset that these scopes are, if any. */
export function presetOf(catalog: ScopeCatalog, chosen: readonly ScopeName[]) {
  return catalog.presets.find(
    ({ scopes }) => scopes.length === chosen.length && scopes.every((scope) => chosen.includes(scope)),
  );
}
