/** The scopes of SPEC "Scopes", in its order. */
export const scopes = [
  'todos:read',
  'todos:write',
  'chats:read',
  'chats:write',
  'agents:read',
  'agents:write',
  'captures:read',
  'captures:write',
] as const;

export type Scope = (typeof scopes)[number];

/** The scopes that let a credential read something. */
export const readScopes = scopes.filter((scope) => scope.endsWith(':read'));
