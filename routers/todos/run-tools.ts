import { z } from 'zod';
import { type Context, principalOf } from '../base.ts';
import { AfterSequence, waitUpTo } from '../chats/shapes.ts';
import { Conversation, patienceOf, replyTo, ShownMessage, shownMessages } from '../chats/tool-answers.ts';
import { untilSettled } from '../chats/wait.ts';
import { Id } from '../fields.ts';
import { IdOrName, idOf } from '../names.ts';
import { textFrom, tool, toolProcedure } from '../tool.ts';
import { findTodo } from './rows.ts';
import { runInChat } from './run-rows.ts';
import { RunStart, TodoRun } from './run-shapes.ts';
import { runTodo } from './runs.ts';
import { Todo } from './shapes.ts';

const todoId = Id.describe('Id of the todo.');
/** Messages in one answer; more are told of. */
const mostMessages = 10;

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
        afterSequence: AfterSequence.removeDefault()
          .optional()
          .describe('Also show up to 10 messages of the chat after this one: 0, then nextSequence.'),
      }),
    )
    .output(
      z.object({
        todo: Todo.omit({ latestRun: true }),
        latestRun: Todo.shape.latestRun,
        chatId: Id.nullable().describe('The chat of the latest run.'),
        messages: z.array(ShownMessage).optional(),
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
      if (chatId === null) return { ...shown, messages: [], hasMore: false, nextSequence: afterSequence };
      return { ...shown, ...(await shownMessages(ctx, { chatId, afterSequence, limit: mostMessages })) };
    }),
};

/** What of the chat of a run is shown to who waited for it and may read chats. */
const Worked = Conversation.omit({ nextCursor: true }).partial();

/** The run once its agent stopped or `seconds` are over, and what it wrote. @throws Failure 404. */
async function workOf(ctx: Context, chatId: string, seconds: number) {
  const { workspaceId, scopes } = principalOf(ctx);
  if (scopes.has('chats:read')) {
    const { nextCursor: _, ...work } = await replyTo(ctx, chatId, 1, seconds);
    return { run: await runInChat(ctx.db, workspaceId, chatId), chatId, ...work };
  }
  await untilSettled(ctx, workspaceId, chatId, seconds);
  return { run: await runInChat(ctx.db, workspaceId, chatId), chatId };
}

export const runTodoTool = {
  run_todo: toolProcedure
    .meta(
      tool('run_todo', {
        title: 'Start an agent on a todo',
        description:
          'Starts an agent on a todo and returns at once; it works in the chat of the run, where get_chat collects what it says. Spends agent minutes.',
        scopes: ['todos:write'],
        asks: true,
        rest: 'Call get_chat with the chatId.',
      }),
    )
    .input(
      RunStart.extend({
        todoId,
        agentId: IdOrName.optional().describe('Id or name of an agent. Omitted: the one assigned, else the default.'),
        waitSeconds: waitUpTo(50).describe('Wait so long for the agent, and show its chat.'),
      }),
    )
    .output(z.object({ run: TodoRun, chatId: Id }).extend(Worked.shape))
    .mutation(async ({ ctx, input: { agentId: given, waitSeconds, ...start } }) => {
      const principal = principalOf(ctx);
      if (ctx.resumed) return workOf(ctx, ctx.resumed.chatId, patienceOf(ctx, waitSeconds));
      const agentId = given && (await idOf(ctx.db, principal.workspaceId, 'agent', given, 'agentId'));
      const run = await runTodo(ctx, principal, { ...start, agentId });
      const seconds = patienceOf(ctx, waitSeconds);
      return seconds > 0 ? workOf(ctx, run.chatId, seconds) : { run, chatId: run.chatId };
    }),
};
