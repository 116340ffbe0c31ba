import type { Claim } from '../../../domain/turns/steps.ts';

// The parts of a note or a recording, each under its name where there are several.
const bodies = `concat_ws(E'\\n\\n', c.content,
    case when c.transcript is not null then 'Summary:' || E'\\n' || c.summary end,
    'Transcript:' || E'\\n' || c.transcript,
    'Notes:' || E'\\n' || c.notes)`;

/**
 * Selects the captures that a turn may read as context, as they are now: those given to its chat, then the one its todo
 * came from. Texts are read no further than a prompt can have them: they may be long, and every step reads them again.
 * `$1` is the workspace, `$6` the chat, `$7` the todo, `$8` the most characters of all together.
 */
export const givenCaptures = `with given as (
    select g.capture_id, g.position from chat_captures g where g.workspace_id = $1 and g.chat_id = $6
    union all
    select t.capture_id, 32767 from todos t where t.workspace_id = $1 and t.id = $7::uuid and t.capture_id is not null
  ), each as (
    select capture_id, min(position) as position, count(*) over () as count from given group by capture_id
  )
  select c.id, c.title, left(s.text, ($8::int / e.count)::int) as text, length(s.text) as length
  from each e join captures c on c.workspace_id = $1 and c.id = e.capture_id
  cross join lateral (select ${bodies} as text) s order by e.position`;

/** Whether a turn gets the texts of captures: not when whoever started it may not read them (CONTRACT §10.9). */
export function mayReadCaptures({ scopes }: Pick<Claim, 'scopes'>): boolean {
  return scopes.includes('captures:read');
}
