/** Tables of the introduction, which follow from the operations and the error codes. */
interface IntroductionFacts {
  docsUrl: string;
  /** Every error code with its statuses, as a Markdown table. */
  errorTable: string;
  /** The largest bodies, such as `1 MiB (4 MiB for captures)`. */
  bodyLimits: string;
}

/** The introduction to the API in Markdown: `info.description` of the document. */
export function introduction({ docsUrl, errorTable, bodyLimits }: IntroductionFacts): string {
  return `Tandem is work management for people and agents, who share one list of work. It has four primitives:

- **Todos** are units of work, assigned to a person or to an agent. A todo of an agent can be run.
- **Chats** are conversations with agents.
- **Agents** are workers with standing instructions, skills, an approval setting and working hours.
- **Captures** are recordings with their transcript, notes and summary, and written notes.

## Authentication

Send an API key with every request: \`Authorization: Bearer tandem_sk_…\`. A key belongs to exactly one workspace and has fixed scopes; every request acts in that workspace, and an id of another workspace is not found (404). A revoked or expired key stops working on the next request. Where an operation accepts a person, the token of a session (\`tandem_st_…\`) is sent in the same way. \`getIdentity\` returns the identity of the credential and the operations that it may call.

## Requests and answers

Bodies are JSON in UTF-8, sent as \`Content-Type: application/json\`. Unknown fields of a body are refused, so that a misspelt field is not ignored. Unknown parameters of a query are refused by \`listTodos\`, \`summariseTodos\` and \`listCaptures\`, and ignored elsewhere. Every object of an answer names its type in \`object\`. Ids are UUIDs. Instants are RFC 3339 in UTC with milliseconds; an instant in a request needs an offset. A documented field is always present: \`null\` means that it has no value. Lists in a query are written with commas.

## Errors

Every failure returns one \`Error\` object, as \`application/problem+json\` (RFC 9457) where \`Accept\` asks for it, else as \`application/json\`. Branch on \`code\`, show \`message\`, quote \`requestId\` (also the \`X-Request-Id\` header of every response). \`param\` names the first field at fault, \`errors\` lists all of them; \`retryable\` says whether the same request may succeed later.

${errorTable}

Checks come in this order: credential (401), rate limit (429), scope (403), shape (400), existence (404), state (409), agent minutes (402). In addition to the statuses that each operation lists, any operation can return:

- **405** \`validation_failed\`: the path does not support the method; \`Allow\` lists those that it supports.
- **413** \`validation_failed\`: the body is larger than ${bodyLimits}.
- **415** \`validation_failed\`: the body is not declared as JSON.

An unknown path is 404 \`resource_not_found\`. Every \`GET\` also answers \`HEAD\`.

## Rate limits

A credential has a budget of requests per one-minute window (\`rateLimitPerMinute\`, 300 unless set otherwise); requests without a valid one share the budget of their address, 120 a minute. Every response carries the state of the budget in \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`, and in the pair \`RateLimit-Policy\` and \`RateLimit\` of the IETF draft. A refused request (429) does not count and carries the seconds to wait in \`Retry-After\`.

## Unavailability

While the database is away, full or too slow, too many requests wait, many large answers wait for clients that do not read them, or the process that took a request is stopping, the answer is 503 \`internal_error\` with \`reason: "unavailable"\` and the seconds to wait in \`Retry-After\`. No request waits longer than ten seconds for a connection, a lock or a statement; only one that asks for it with \`waitSeconds\` is held longer. Repeat a write with the same \`Idempotency-Key\`, where the operation takes one: it may have been done although its answer was lost.

## Idempotency

Operations that list the header \`Idempotency-Key\` accept one; elsewhere it has no effect, so look before you repeat what creates something (\`createWebhookEndpoint\`, \`createApiKey\`, \`createWorkspace\`, \`inviteMember\`, \`startRecording\`). A retry with the same key and body within 24 hours gets the first answer, with \`Idempotency-Replayed: true\`, and nothing happens twice; the same key with another body is 409 \`idempotency_key_reused\`. Only successes are kept: after an error the key is free again. While the first request is running, a second one with the same key waits for a few seconds, then gets 409 with \`reason: "idempotency_in_progress"\`.

## Paging

Lists return \`data\`, \`hasMore\` and \`nextCursor\`. Where a list takes \`limit\` (1 to 100, and for sessions up to 500 todos; 25 unless said) and \`cursor\`, pass \`nextCursor\` with the same filters and order until it is \`null\`; only \`limit\` may change between pages. An item that exists while you read all pages is returned exactly once, even if others are created meanwhile. In an order by what can change (\`updatedAt\`, \`dueDate\`, \`priority\` or \`position\` of todos, the latest message of chats), one whose value changes meanwhile may come twice or not at all: to copy todos, read them by \`createdAt\`. Resources without a value for the sort key come last, in both directions.

## Entity tags

Single resources carry an \`ETag\`. Send it as \`If-None-Match\` to get 304 while nothing has changed, and as \`If-Match\` with \`PATCH\`, \`DELETE\`, restoreTodo or moveTodo to change only what you have read: otherwise the answer is 412 with \`reason: "precondition_failed"\`. Operations on what has an \`ETag\` list the header; elsewhere, such as for reminders, sessions and passkeys, it has no effect.

## Polling

Agents continue to work after the answer: starting them returns 201 or 202 at once. To collect a reply, read the status of the chat BEFORE its messages: \`getChat\`, then \`listMessages\` with \`afterSequence\` (0 after \`createChat\`, \`messageSequence\` after \`sendMessage\`), keeping the highest \`sequence\` seen. If the status read first was neither \`queued\` (it waits for the working hours of its agent) nor \`running\`, and \`hasMore\` is false, everything has arrived. In the other order, a message written between the two reads would be missed.

## Versioning and deprecation

The version is in the path: \`/api/v1\`. Within it the service may add fields to answers, optional parameters and operations: ignore fields that you do not know. Any other change gets a new path. A deprecated operation is marked here and on every response, with \`Deprecation: true\`, \`Sunset\` (RFC 8594) and a \`Link\` to [the policy](${docsUrl}/deprecation), at least 90 days before it stops working.`;
}

/** The tags of SPEC's sections, in its order. A tag is the first segment of the path. */
export const tagDescriptions: Record<string, string> = {
  meta: 'The service itself, this document, and the identity of a credential.',
  todos: 'Units of work, assigned to people and agents.',
  runs: 'What agents do on todos, over all todos.',
  'todo-lists': 'Where todos are filed. Every workspace has one default list.',
  labels: 'What todos are marked with, besides the list that they are in.',
  views: 'Saved filters of lists of todos, private or shared.',
  chats: 'Conversations with agents, and the messages in them.',
  approvals: 'Actions of agents that a person must allow.',
  notifications: 'What people are notified of, in a list and by email.',
  snoozes: 'What people have put off in their inbox.',
  agents: 'Workers with standing instructions.',
  skills: 'Skills over all agents.',
  captures: 'Recordings with transcript, notes and summary, and written notes.',
  'api-keys': 'Keys of a workspace, managed by signed-in people.',
  'connected-apps': 'Applications that people connected to a workspace, managed by signed-in people.',
  auth: 'Signing up, signing in and sessions.',
  workspaces: 'Workspaces and their members.',
  usage: 'What the workspace has used.',
  events: 'What has happened in the workspace.',
  'webhook-endpoints': 'Where events are delivered.',
};
