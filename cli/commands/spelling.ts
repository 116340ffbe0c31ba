/*
 * Overrides for derived names that read badly in a shell. Operations and fields that are not listed here keep their
 * derived name, so new ones need no entry. A test fails for entries that nothing uses.
 */

/** The words of a command, by operation. */
export const commandWords: Readonly<Record<string, string>> = {
  getServiceInfo: 'info',
  getOpenApiSpecification: 'openapi',
  getIdentity: 'whoami',
  getUsage: 'usage',
  listAgentSkills: 'agents skills',
  markNotificationsRead: 'notifications read',
  sendMessage: 'chats send',
  streamChat: 'chats follow',
};

/** The flag of a field, by its name. */
export const flagNames: Readonly<Record<string, string>> = {
  todoListId: 'list',
  todoListName: 'list-name',
  p256dh: 'public-key',
  status: 'status',
};

/** One more flag for an array of references: only those of this type. */
export const referenceFlags: Readonly<Record<string, { flag: string; object: string; label: string }>> = {
  assignees: { flag: 'agent', object: 'agent', label: 'AGENT' },
};

/** Lists that are not empty when they are omitted: a new todo is assigned to the caller. */
export const filledLists: readonly string[] = ['assignees'];

/** Resource types whose names or titles are accepted for an id field, where the field name does not imply the type. */
export const namedThings: Readonly<Record<string, readonly string[]>> = {
  skillId: ['agent_skill'],
  userId: ['member'],
  assigneeId: ['agent', 'member'],
  assignees: ['agent', 'member'],
  actorId: ['agent', 'member'],
  mentions: ['member'],
  parentTodoId: ['todo'],
  after: ['todo'],
  before: ['todo'],
  afterViewId: ['view'],
  addLabelIds: ['label'],
  removeLabelIds: ['label'],
};

/** Body fields that become the positional text when nothing in the body is required; the first match is used. */
export const naturalFields: readonly string[] = ['message', 'title'];

/**
 * Objects whose fields always have the name of the object as a prefix (`--where-status`): the operation has fields of
 * the same names with another meaning.
 */
export const prefixedObjects: readonly string[] = ['where'];

/** Body lists that become the positional arguments although another field can stand in their place. */
export const naturalLists: readonly string[] = ['ids'];

/** Examples that replace the derived ones, by operation; without the leading `tandem`. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  listTodos: [
    'todos list --status active --sort priority',
    'todos list --assignee me --due-before +7d',
    "todos list --all --json | jq '.data[].title'",
  ],
  createTodo: [
    'todos create "Draft the quarterly report" --due-date tomorrow',
    'todos create "Compare three caterers" --agent Assistant --run --wait',
    'todos create "Stand-up notes" --every weekday --at 09:00',
    'todos create "Release notes" --content-file notes.md --list Work',
  ],
  updateTodo: [
    'todos update ID --status done',
    'todos update ID --no-due-date --assignee me',
    'todos update ID --no-suggested',
  ],
  batchCreateTodos: ['todos create-batch @todos.json', 'jq .todos plan.json | tandem todos create-batch -'],
  bulkUpdateTodos: ['todos bulk-update ID ID --status done', 'todos bulk-update ID ID --archive --dry-run'],
  runTodo: ['todos run ID --wait', 'todos run ID "Keep it to one page" --agent Scout'],
  createChat: ['chats create "What is due this week?" --wait', 'git log -5 | tandem chats create - --title "Release"'],
  sendMessage: ['chats send ID "And next week?" --wait', 'chats send ID --message-file question.md'],
  streamChat: ['chats follow ID', 'chats follow ID --json'],
  streamEvents: ['events stream --type todo.completed', 'events stream --after-sequence 4711 --jsonl'],
  decideApproval: ['approvals decide ID approve --wait', 'approvals decide ID deny --note "Not before Monday"'],
  createCapture: [
    'captures create note "# Spring release"',
    'captures create note - --tag planning < minutes.md',
    'captures create recording --format vtt --transcript-body-file meeting.vtt',
  ],
  createApiKey: ['api-keys create "Nightly import" --scope todos:read,todos:write --expires-in-days 90'],
  listPlannedTimes: ['todos planned-times 2026-12-01T00:00:00Z 2027-01-01T00:00:00Z'],
  addPushSubscription: ['notifications add-push-subscription https://push.example/4a --public-key KEY --auth SECRET'],
  updateAgent: ['agents update Scout --instructions-file scout.md', 'agents update Scout --no-approval-guidance'],
};
