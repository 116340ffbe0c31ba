import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { principalOf } from '../base.ts';
import { Message } from '../chats/shapes.ts';
import { readTail } from '../chats/tail.ts';
import { Id } from '../fields.ts';
import { IdOrName, idOf } from '../names.ts';
import { textFrom, tool, toolProcedure } from '../tool.ts';
import { findTodo } from './rows.ts';
import { RunStart, TodoRun } from './run-shapes.ts';
import { runTodo } from './runs.ts';
import { Todo } from './shapes.ts';

const todoId = Id.describe('Id of the todo.');
/** Messages in one answer; more are told of. */
const mostMessages = 10;

/** The first messages of a chat after a sequence, and the sequence to go on after. */
async function messagesAfter(db: Db, workspaceId: string, chatId: string | null, sequence: number) {
  const tail = chatId === null ? undefined : await readTail(db, workspaceId, chatId, sequence, mostMessages);
  const { messages, hasMore } = tail ?? { messages: [], hasMore: false };
  return { messages, hasMore, nextSequence: messages.at(-1)?.sequence ?? sequence };
}

export const getTodoTool = {
  get_todo: toolProcedure
    .meta(
      tool('get_todo', {
        title: 'Get a todo',
        description:
          'Shows one todo whole, with its latest agent run and the id of the chat where that run works; with afterSequence also the messages of that chat.',
        scopes: ['todos:read', 'chats:read'],
        readOnly: true,
        rest: 'Call get_todo with contentOffset = the number of characters you already have; get_chat has the messages.',
      }),
    )
    .input(
      z.strictObject({
        todoId,
        contentOffset: z
          .int()
          .min(0)
          .default(0)
          .describe('Show content from this character on, to read a long one in parts.'),
        afterSequence: z
          .int()
          .min(0)
          .max(2_147_483_647)
          .optional()
          .describe('Also show up to 10 messages of the chat after this one: 0, then nextSequence.'),
      }),
    )
    .output(
      z.object({
        todo: Todo.omit({ latestRun: true }),
        latestRun: Todo.shape.latestRun,
        chatId: Id.nullable().describe('The chat of the latest run.'),
        messages: z.array(Message).optional(),
        hasMore: z.boolean().optional(),
        nextSequence: z.int().optional(),
      }),
    )
    .query(async ({ ctx, input: { todoId: id, contentOffset, afterSequence } }) => {
      const { workspaceId } = principalOf(ctx);
      const { latestRun, ...todo } = await findTodo(ctx.db, workspaceId, id);
      const chatId = latestRun?.chatId ?? null;
      const shown = { todo: { ...todo, content: textFrom(todo.content, contentOffset) }, latestRun, chatId };
      if (afterSequence === undefined) return shown;
      return { ...shown, ...(await messagesAfter(ctx.db, workspaceId, chatId, afterSequence)) };
    }),
};

export const runTodoTool = {
  run_todo: toolProcedure
    .meta(
      tool('run_todo', {
        title: 'Start an agent on a todo',
        description:
          'Starts an agent on a todo and returns at once; it works in the chat of the run. Spends agent minutes.',
        scopes: ['todos:write'],
      }),
    )
    .input(
      RunStart.extend({
        todoId,
        agentId: IdOrName.optional().describe('Id or name of an agent. Omitted: the one assigned, else the default.'),
      }),
    )
    .output(z.object({ run: TodoRun, chatId: Id }))
    .mutation(async ({ ctx, input: { agentId: given, ...start } }) => {
      const principal = principalOf(ctx);
      const agentId = given && (await idOf(ctx.db, principal.workspaceId, 'agent', given, 'agentId'));
      const run = await runTodo(ctx, principal, { ...start, agentId });
      return { run, chatId: run.chatId };
    }),
};
