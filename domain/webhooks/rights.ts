import { validCredential } from '../access.ts';
import type { Principal } from '../context.ts';
import { Failure } from '../errors.ts';
import { type EventType, eventTypes, objectOf, readScopeOf } from '../events/types.ts';
import { readScopes, type Scope } from '../scopes.ts';

/** Types that an endpoint asks for. */
export type WantedType = EventType | '*';

/** The scopes that a key needs for the types, in the order of SPEC; `sessionOnly`: some are for sessions alone. */
function needsOf(types: readonly WantedType[]): { needed: Scope[]; sessionOnly: WantedType[] } {
  if (types.includes('*')) return { needed: readScopes, sessionOnly: [] };
  const scopeOf = (type: WantedType) => readScopeOf(objectOf(type as EventType));
  const scopes = new Set(types.map(scopeOf));
  return {
    needed: readScopes.filter((scope) => scopes.has(scope)),
    sessionOnly: types.filter((type) => scopeOf(type) === null),
  };
}

/** Whether the credential may read events of all the types. */
export function mayReadTypes(principal: Principal, types: readonly WantedType[]): boolean {
  if (principal.kind === 'session') return true;
  const { needed, sessionOnly } = needsOf(types);
  return sessionOnly.length === 0 && needed.every((scope) => principal.scopes.has(scope));
}

/** @throws Failure 403 `missing_scope` when the credential may not read events of all the types. */
export function requireTypes(principal: Principal, types: readonly WantedType[]): void {
  if (mayReadTypes(principal, types)) return;
  const { needed, sessionOnly } = needsOf(types);
  if (sessionOnly.length > 0) {
    const message = `Events of the type ${sessionOnly[0]} can be read only in a session, not with an API key.`;
    throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'session_required' });
  }
  const message = `This credential lacks a read scope of these types. Use one that has ${needed.join(', ')}.`;
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: needed });
}

/** The types among those wanted that are sent: `*` of an endpoint of a key has none that are for sessions alone. */
export function sentTypes(types: readonly WantedType[], isOfKey: boolean): ReadonlySet<string> {
  const wanted = types.includes('*') ? eventTypes : (types as EventType[]);
  return new Set(wanted.filter((type) => !isOfKey || readScopeOf(objectOf(type)) !== null));
}

/**
 * In SQL: whether the owner of the endpoint `e` may still read the events of a type, whose read scope `scope` is (null:
 * of any). The scopes of a key never change; what ends is the key or the membership.
 */
export const ownerMayRead = `exists (select from members m
      where m.workspace_id = e.workspace_id and m.user_id = e.user_id and m.removed_at is null)
    and (e.credential_id is null or exists (select from credentials c
      where c.workspace_id = e.workspace_id and c.id = e.credential_id and ${validCredential}))
    and (e.connected_app_id is null or exists (select from connected_apps a
      where a.workspace_id = e.workspace_id and a.id = e.connected_app_id and a.revoked_at is null and a.expires_at > now()))`;
