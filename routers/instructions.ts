/** A paragraph for assistants, and the tools that must be there for it to be true. */
const paragraphs: readonly [tools: readonly string[], text: string][] = [
  [
    [],
    'Tandem keeps one list of work for people and agents of a workspace. Its four primitives are todos (units of work, assigned to people or agents), chats (conversations with agents), agents (workers with standing instructions and skills) and captures (recordings and notes). Use those that you see tools for.',
  ],
  [
    ['list_todos', 'get_todo'],
    'Todos: list_todos finds them and counts them (summary for the filters, workspaceSummary for all that is not archived); its rows are brief. get_todo shows one whole.',
  ],
  [
    ['update_todo', 'complete_todo', 'archive_todo'],
    'A todo is ready, in_progress or done. complete_todo and reopen_todo change that; archive_todo takes one off the lists and unarchive_todo brings it back. Nothing is ever erased here.',
  ],
  [['list_todo_lists'], 'Todos sit in todo lists: list_todo_lists shows them.'],
  [['upsert_todo_list'], 'upsert_todo_list makes, renames, archives and restores todo lists.'],
  [
    ['list_agents', 'get_agent', 'get_skill'],
    'Agents: list_agents finds them; get_agent shows one with its standing instructions and the names of its skills, get_skill what a skill says.',
  ],
  [
    ['update_agent', 'update_skill'],
    'update_agent and update_skill change, archive and restore; pass the version you read as expectedVersion, so that nobody else’s change to an agent is lost.',
  ],
  [
    ['list_captures', 'get_capture'],
    'Captures: list_captures searches all that recordings and notes say; get_capture shows one. Its texts may be long: ask for one with part, and jump to what you look for with find.',
  ],
  [
    ['run_todo', 'get_chat'],
    'Agents work on their own time: run_todo, create_chat and send_chat_message return at once. To collect the reply, call get_chat with afterSequence = the highest sequence you have seen (0 at first), again and again. Everything has arrived when hasMore is false and the status of the chat is no longer running. The status awaiting_input means that a person must decide something first.',
  ],
  [
    [],
    'Lists come in pages of 10 (limit up to 50): while hasMore is true, pass nextCursor as cursor with the same filters. Where an id of a todo list or an agent is expected, its name works too when only one has it. Fields without a value are left out. Texts that are too long are cut: truncated is then true, cut says where, and rest says how to read on. Errors say which argument is at fault (param) and what is allowed (allowedValues): correct the call, and repeat an unchanged one only when retryable is true.',
  ],
];

/** How to work with the service, for an assistant that has these tools: fewer than 400 words. */
export function instructionsFor(tools: ReadonlySet<string>): string {
  return paragraphs
    .filter(([needed]) => needed.every((name) => tools.has(name)))
    .map(([, text]) => text)
    .join('\n\n');
}
