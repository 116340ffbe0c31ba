import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { v7 as newId } from 'uuid';
import type { Db } from '../../../db/client.ts';
import { grantId, grantKey, renewedExpiry } from '../../../db/grants.ts';
import { hashSecret, secretKind } from '../../../db/secrets.ts';
import { revokeGrant } from '../../../domain/accounts/revoke-access.ts';
import { type Connection, connectionColumns, recordConnection } from './connection-events.ts';

const living = `select a.user_id as "accountId", a.client_id as "clientId", a.scopes,
    extract(epoch from a.created_at)::int as iat, ceil(extract(epoch from a.expires_at))::int as exp
  from connected_apps a
  join members m on m.workspace_id = a.workspace_id and m.user_id = a.user_id and m.removed_at is null
  where a.workspace_id = $1 and a.id = $2 and a.revoked_at is null and a.expires_at > now()`;
const lockMember = `select m.user_id as "userId" from members m
  where m.workspace_id = $1 and m.user_id = $2 and m.removed_at is null for share`;
const connect = `update connected_apps a set connected_at = coalesce(a.connected_at, now()), expires_at = ${renewedExpiry}
  from (select connected_at, expires_at from connected_apps where workspace_id = $1 and id = $2 for no key update) old
  where a.workspace_id = $1 and a.id = $2 and a.revoked_at is null
  returning a.client_name as "clientName", ${connectionColumns}`;
const issue = `insert into credentials (workspace_id, id, kind, secret_hash, user_id, connected_app_id, name, prefix, last4,
    scopes, rate_limit_per_minute, expires_at)
  values ($1, $2, 'oauth', $3, $4, $5, $6, 'tandem_at_', '', $7, $8, now() + make_interval(secs => $9))`;
const token = `select c.workspace_id as "workspaceId", c.connected_app_id as "connectedAppId", a.client_id as "clientId",
    c.user_id as "accountId", c.scopes, extract(epoch from c.created_at)::int as iat,
    extract(epoch from c.expires_at)::int as exp
  from credentials c join connected_apps a on a.workspace_id = c.workspace_id and a.id = c.connected_app_id
  where c.secret_hash = $1 and c.kind = 'oauth' and c.revoked_at is null and c.expires_at > now()`;

interface GrantRow {
  accountId: string;
  clientId: string;
  scopes: string[];
  iat: number;
  exp: number;
}

/** The part of the interface that these models never use. */
class Unused {
  async consume(): Promise<void> {}

  async revokeByGrantId(): Promise<void> {}

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}
}

/** Grants as the OAuth server reads them: each is a row of `connected_apps`, which consent writes. */
export class Grants extends Unused implements Adapter {
  readonly #db: Db;
  readonly #resource: () => string;

  constructor(db: Db, resource: () => string) {
    super();
    this.#db = db;
    this.#resource = resource;
  }

  async upsert(): Promise<void> {
    throw new Error('A grant is opened by consent alone');
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const key = grantKey(id);
    const [row] = key ? await this.#db.rows<GrantRow>(living, key) : [];
    if (!row) return undefined;
    const { scopes, ...payload } = row;
    const resources = { [this.#resource()]: scopes.join(' ') };
    return { ...payload, kind: 'Grant', jti: id, resources } as AdapterPayload;
  }

  async destroy(id: string): Promise<void> {
    const key = grantKey(id);
    if (key) await revokeGrant(this.#db, ...key);
  }
}

/** Access tokens are rows of `credentials`, so that the gate resolves them in its one statement. */
export class AccessTokens extends Unused implements Adapter {
  readonly #db: Db;
  readonly #rateLimitPerMinute: number;

  constructor(db: Db, rateLimitPerMinute: number) {
    super();
    this.#db = db;
    this.#rateLimitPerMinute = rateLimitPerMinute;
  }

  /**
   * Issues a token while its grant is valid. The member and the grant are locked first, in the same order as a removal
   * locks them, so that no token is issued beside a removal or a revocation.
   * @throws InvalidGrant for a grant that ended.
   */
  upsert(id: string, payload: AdapterPayload, seconds: number): Promise<void> {
    const [workspaceId, appId] = grantKey(payload.grantId ?? '') ?? [];
    return this.#db.transaction(async (tx) => {
      const members = await tx.rows(lockMember, [workspaceId, payload.accountId]);
      const [app] = await tx.rows<Connection & { clientName: string }>(connect, [workspaceId, appId, seconds]);
      if (!app || members.length === 0) throw new errors.InvalidGrant('the grant has ended');
      await recordConnection(tx, app);
      const scopes = payload.scope?.split(' ') ?? [];
      const holder = [hashSecret(id), payload.accountId, appId, app.clientName];
      await tx.rows(issue, [workspaceId, newId(), ...holder, scopes, this.#rateLimitPerMinute, seconds]);
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (secretKind(id) !== 'at') return undefined;
    const [row] = await this.#db.rows<GrantRow & { workspaceId: string; connectedAppId: string }>(token, [
      hashSecret(id),
    ]);
    if (!row) return undefined;
    const { scopes, workspaceId, connectedAppId, ...payload } = row;
    const grant = grantId(workspaceId, connectedAppId);
    return { ...payload, kind: 'AccessToken', jti: id, grantId: grant, scope: scopes.join(' ') };
  }

  /** A token ends with its grant. */
  async destroy(): Promise<void> {}
}

/**
 * The OAuth server has no sessions of its own: the signed-in person decides each authorization request on our page. So
 * a browser never reuses an earlier decision of another person.
 */
export class NoSessions extends Unused implements Adapter {
  async upsert(): Promise<void> {}

  async find(): Promise<undefined> {}

  async destroy(): Promise<void> {}
}
