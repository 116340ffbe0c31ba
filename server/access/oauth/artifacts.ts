import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Db } from '../../../db/client.ts';
import { grantKey, renewedExpiry } from '../../../db/grants.ts';
import { revokeGrant } from '../../../domain/accounts/revoke-access.ts';
import { type Connection, connectionColumns, recordConnection } from './connection-events.ts';
import { hashOf } from './decision.ts';

/**
 * How long a used refresh token still works: for a client that did not receive the answer, or whose processes refresh
 * at the same time.
 */
const graceSeconds = 60;

const insert = `insert into oauth_artifacts (hash, model, grant_id, payload, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(secs => $5))
  on conflict (hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`;
const select = `select payload, extract(epoch from consumed_at)::int as consumed,
    coalesce(consumed_at < now() - make_interval(secs => $2), false) as reused
  from oauth_artifacts where hash = $1 and (expires_at is null or expires_at > now())`;
const consumeOnce = `update oauth_artifacts set consumed_at = now() where hash = $1 and consumed_at is null returning hash`;
const grantOf = 'select grant_id as "grantId" from oauth_artifacts where hash = $1';
const remove = 'delete from oauth_artifacts where hash = $1';
const prolong = `update connected_apps a set expires_at = ${renewedExpiry}
  from (select connected_at, expires_at from connected_apps where workspace_id = $1 and id = $2 for no key update) old
  where a.workspace_id = $1 and a.id = $2 and a.revoked_at is null returning ${connectionColumns}`;

interface Found {
  payload: AdapterPayload;
  consumed: number | null;
  reused: boolean;
}

/**
 * Stores one kind of the OAuth server's artifacts in PostgreSQL, so that any process can serve any step. A row is found
 * by the SHA-256 of its id: the id is the code, token or cookie itself and is never stored. `resumeAddress` is where
 * the browser continues after the decision on an authorization request; it contains the id too.
 */
export class Artifacts implements Adapter {
  readonly #db: Db;
  readonly #model: string;
  readonly #resumeAddress: (id: string) => string;

  constructor(db: Db, model: string, resumeAddress: (id: string) => string) {
    this.#db = db;
    this.#model = model;
    this.#resumeAddress = resumeAddress;
  }

  #hash(id: string): Buffer {
    return hashOf(this.#model, id);
  }

  async upsert(id: string, payload: AdapterPayload, seconds?: number): Promise<void> {
    const { jti: _, returnTo: __, ...kept } = payload;
    const values = [this.#hash(id), this.#model, payload.grantId ?? null, JSON.stringify(kept), seconds ?? null];
    await this.#db.rows(insert, values);
    const app = this.#model === 'RefreshToken' ? grantKey(payload.grantId ?? '') : null;
    if (app) await this.#prolong(...app, seconds);
  }

  async #prolong(workspaceId: string, appId: string, seconds: number | undefined): Promise<void> {
    await this.#db.transaction(async (tx) => {
      const [app] = await tx.rows<Connection>(prolong, [workspaceId, appId, seconds]);
      if (app) await recordConnection(tx, app);
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const grace = this.#model === 'RefreshToken' ? graceSeconds : 0;
    const [row] = await this.#db.rows<Found>(select, [this.#hash(id), grace]);
    if (!row) return undefined;
    const consumed = row.reused || (row.consumed !== null && grace === 0) ? { consumed: row.consumed } : {};
    const returnTo = this.#model === 'Interaction' ? { returnTo: this.#resumeAddress(id) } : {};
    return this.#model === 'Client' ? row.payload : { ...row.payload, ...consumed, ...returnTo, jti: id };
  }

  /** Of two requests that bring one code at once, the loser is a replay (OAuth 2.1 §4.1.3). @throws InvalidGrant. */
  async consume(id: string): Promise<void> {
    const consumed = await this.#db.rows(consumeOnce, [this.#hash(id)]);
    if (consumed.length > 0 || this.#model !== 'AuthorizationCode') return;
    const [row] = await this.#db.rows<{ grantId: string | null }>(grantOf, [this.#hash(id)]);
    const app = grantKey(row?.grantId ?? '');
    if (app) await revokeGrant(this.#db, ...app);
    throw new errors.InvalidGrant('authorization code already consumed');
  }

  async destroy(id: string): Promise<void> {
    await this.#db.rows(remove, [this.#hash(id)]);
  }

  /** Does nothing: what was issued under a grant ends with its row. */
  async revokeByGrantId(): Promise<void> {}

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}
}
