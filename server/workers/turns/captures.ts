import type { Db } from '../../../db/client.ts';
import type { Claim } from '../../../domain/turns/steps.ts';
import type { CaptureFacts } from '../../../engine/facts.ts';
import { maxCapturesLength } from '../../../engine/prompt/system.ts';

// The parts of a note or a recording, each under its name where there are several.
const bodies = `concat_ws(E'\\n\\n', c.content,
    case when c.transcript is not null then 'Summary:' || E'\\n' || c.summary end,
    'Transcript:' || E'\\n' || c.transcript,
    'Notes:' || E'\\n' || c.notes)`;

// Its texts are read no further than a prompt can have them: they may be long, and every step reads them again.
const given = `with given as (
    select g.capture_id, g.position from chat_captures g where g.workspace_id = $1 and g.chat_id = $2
    union all
    select t.capture_id, 32767 from todos t where t.workspace_id = $1 and t.id = $3::uuid and t.capture_id is not null
  ), each as (
    select capture_id, min(position) as position, count(*) over () as count from given group by capture_id
  )
  select c.id, c.title, left(s.text, ($4 / e.count)::int) as text, length(s.text) as length
  from each e join captures c on c.workspace_id = $1 and c.id = e.capture_id
  cross join lateral (select ${bodies} as text) s order by e.position`;

/**
 * The captures that a turn may read as context, as they are now: those given to its chat, then the one its todo came
 * from. None when whoever started the turn may not read captures (CONTRACT §10.9): only the link to it is shown then.
 */
export async function captureFacts(
  db: Db,
  { workspaceId, chatId, todoId, scopes }: Pick<Claim, 'workspaceId' | 'chatId' | 'todoId' | 'scopes'>,
): Promise<CaptureFacts[]> {
  if (!scopes.includes('captures:read')) return [];
  return db.rows<CaptureFacts>(given, [workspaceId, chatId, todoId, maxCapturesLength]);
}
