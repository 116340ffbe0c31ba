/*
 * The typed client of first-party apps: batched calls, an idempotent write, an error code to branch on, and a chat that
 * is followed while the agent writes.
 *
 *   export TANDEM_URL=http://127.0.0.1:8080 TANDEM_API_KEY=tandem_sk_…
 *   node examples/typed-client.ts
 *
 * `tandem/client` is the name in this repository. An app elsewhere installs the package and imports `@tandem/client`
 * (docs/clients.md). Needs Node ≥ 22.18.
 */
import { createTandemClient, followChat, isTandemError, keyed } from 'tandem/client';

const { TANDEM_URL: url = 'http://127.0.0.1:8080', TANDEM_API_KEY: token } = process.env;
const tandem = createTandemClient({ url, token });

// Calls of the same tick are sent in one request, which counts once against the rate limit.
const [me, summary, lists] = await Promise.all([
  tandem.meta.identity.query({}),
  tandem.todos.summary.query({ status: 'active' }),
  tandem.todoLists.list.query({}),
]);
process.stdout.write(`${me.user.name}: ${summary.total} active todos in ${lists.data.length} lists\n`);

// With the same key, a second run within 24 hours returns the first one's todo.
const todo = await tandem.todos.create.mutate({ title: 'Try the typed client' }, keyed('typed-client-example'));
process.stdout.write(`${todo.id}: ${todo.title}\n`);

try {
  await tandem.todos.update.mutate({ todoId: todo.id, todoListId: me.user.id });
} catch (error) {
  if (!isTandemError(error)) throw error;
  process.stdout.write(`${error.code} at ${error.param}, retryable: ${error.retryable}\n`);
}

const chat = await tandem.chats.create.mutate({ message: 'What is due this week?' });
for await (const event of followChat(tandem, chat.id, { signal: AbortSignal.timeout(60_000) })) {
  if (event.event === 'message') process.stdout.write(`${event.data.role}: ${event.data.text}\n`);
  if (event.event === 'done') process.stdout.write(`The chat is ${event.data.status}.\n`);
}
