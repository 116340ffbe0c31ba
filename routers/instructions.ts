/**
 * What an assistant is told, paragraph by paragraph and piece by piece. A piece that names a tool is for those who see
 * that tool.
 */
const paragraphs: readonly (readonly string[])[] = [
  [
    'Tandem keeps one list of work for people and agents of a workspace. Its four primitives are todos (units of work, assigned to people or agents), chats (conversations with agents), agents (workers with standing instructions and skills) and captures (recordings and notes). Use those that you see tools for.',
  ],
  [
    'list_todos finds todos and counts them: summary for the filters, workspaceSummary for all that is not archived; its rows are brief.',
    'get_todo shows one whole.',
    'complete_todo and reopen_todo change the status: ready, in_progress or done.',
    'archive_todo takes a todo off the lists, unarchive_todo brings it back: nothing is ever erased here.',
    'list_todo_lists shows the lists that todos sit in.',
    'upsert_todo_list makes, renames, archives and restores them.',
  ],
  [
    'list_agents finds agents; get_agent shows one with its standing instructions and the names of its skills, get_skill what a skill says.',
    'update_agent and update_skill change, archive and restore; pass the version of an agent that you read as expectedVersion, so that nobody else’s change is lost.',
  ],
  [
    'list_captures searches all that recordings and notes say; get_capture shows one. Its texts may be long: ask for one with part, and jump to what you look for with find.',
  ],
  [
    'Agents work on their own time: what starts one returns at once, unless waitSeconds holds it.',
    'To collect the reply, call get_chat with afterSequence = the highest sequence you have seen (0 at first), again and again. Everything has arrived when hasMore is false and the status of the chat is no longer running. The status awaiting_input means that a person must first decide what pendingApprovals says: where your client can, the call asks them, and asked tells what they said; else tell them. It is not yours to decide.',
  ],
  [
    'Lists come in pages of 10 (limit up to 50): while hasMore is true, pass nextCursor as cursor with the same filters. Where an id of a todo list or an agent is expected, its name works too when only one has it. Fields without a value are left out. Texts that are too long are cut: truncated is then true, cut says where, and rest says how to read on. Errors say which argument is at fault (param) and what is allowed (allowedValues): correct the call, and repeat an unchanged one only when retryable is true.',
  ],
];

/** How to work with the service, for an assistant that sees some of `all` tools: fewer than 400 words. */
export function instructionsFor(seen: ReadonlySet<string>, all: ReadonlySet<string>): string {
  const isFor = (piece: string) => (piece.match(/[a-z_]+/g) ?? []).every((word) => seen.has(word) || !all.has(word));
  return paragraphs
    .map((pieces) => pieces.filter(isFor).join(' '))
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}
