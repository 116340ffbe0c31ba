/**
 * The condition under which a row `c` shaped like `credentials` opens its workspace now: neither revoked nor expired, a
 * session not idle for 12 hours, its person still a member.
 */
export const validCredential = `c.revoked_at is null and (c.expires_at is null or c.expires_at > now())
        and (c.kind <> 'session' or coalesce(c.last_used_at, c.created_at) > now() - interval '12 hours')
        and exists (select from members m
          where m.workspace_id = c.workspace_id and m.user_id = c.user_id and m.removed_at is null)`;
