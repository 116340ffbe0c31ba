import { z } from 'zod';
import { AfterSequence, maxToolWait, waitUpTo } from '../../domain/chats/shapes.ts';
import { untilSettled } from '../../domain/chats/wait.ts';
import type { Context } from '../../domain/context.ts';
import { Failure } from '../../domain/errors.ts';
import { Id } from '../../domain/fields.ts';
import { IdOrName, idOf } from '../../domain/names.ts';
import { runInChat } from '../../domain/todos/run-rows.ts';
import { RunStart, TodoRun, type TodoRunAnswer } from '../../domain/todos/run-shapes.ts';
import { runTodo } from '../../domain/todos/runs.ts';
import { Todo } from '../../domain/todos/shapes.ts';
import { afterWork, replyIn, ShownMessage, shownMessages, Work, waitOf } from './chat-answers.ts';
import { commentedTodo, ShownComment, ShownSubTodo, shownSubTodos, ToolFields } from './todo-answers.ts';
import { textFrom, tool, toolProcedure } from './tool.ts';

const todoId = Id.describe('Id of the todo.');
/** Messages in one answer; `hasMore` is true when there are more. */
const maxMessages = 10;

/** Whether a chat is not there: it was erased, and the runs of its todo stay. */
const isErased = (error: unknown) => error instanceof Failure && error.problem.status === 404;

export const getTodoTool = {
  get_todo: toolProcedure
    .meta(
      tool('get_todo', {
        title: 'Get a todo',
        description:
          'Show one todo with all fields, its sub-todos, its latest comments, its latest agent run and the id of the chat of that run; with afterSequence also messages of that chat. Find its id with list_todos. Example, to see whether the agent is done: {"todoId":"…","afterSequence":0}.',
        scopes: ['todos:read', 'chats:read'],
        readOnly: true,
        rest: 'Call get_todo with contentOffset = the number of characters you already have; get_chat has the messages, list_todos with parentTodoId the sub-todos.',
      }),
    )
    .input(
      z.strictObject({
        todoId,
        contentOffset: z.int().min(0).default(0).describe('Show content from this character on. Omitted: 0.'),
        afterSequence: AfterSequence.removeDefault()
          .optional()
          .describe('Also show up to 10 messages after this sequence: 0 first, then nextSequence.'),
      }),
    )
    .output(
      z.object({
        todo: Todo.omit({ latestRun: true, version: true, position: true }).extend(ToolFields.shape),
        latestRun: Todo.shape.latestRun,
        chatId: Id.nullable().describe('The chat of the latest run.'),
        comments: z.array(ShownComment).optional(),
        subTodos: z.array(ShownSubTodo).optional(),
        messages: z.array(ShownMessage).optional(),
        hasMore: z.boolean().optional(),
        nextSequence: z.int().optional(),
      }),
    )
    .query(async ({ ctx, input }) => {
      const { contentOffset, afterSequence } = input;
      const { todo: found, ...comments } = await commentedTodo(ctx, input.todoId);
      const { latestRun, ...todo } = found;
      const chatId = latestRun?.chatId ?? null;
      const whole = { ...todo, content: textFrom(todo.content, contentOffset) };
      const shown = { todo: whole, latestRun, chatId, ...comments, ...(await shownSubTodos(ctx, todo)) };
      if (afterSequence === undefined) return shown;
      const none = { messages: [], hasMore: false, nextSequence: afterSequence };
      if (chatId === null) return { ...shown, ...none };
      const read = shownMessages(ctx, { chatId, afterSequence, limit: maxMessages });
      const messages = await read.catch((error: unknown) => {
        if (isErased(error)) return none;
        throw error;
      });
      return { ...shown, ...messages };
    }),
};

/** The part of a chat that is shown after a wait for its run, with the scope for chats. */
const Worked = Work.omit({ nextCursor: true });

/** The run `made` once its agent stopped or `seconds` are over, and the messages of its chat. */
function workOf(ctx: Context, chatId: string, seconds: number, made?: TodoRunAnswer) {
  const { workspaceId, scopes } = ctx.principal;
  return afterWork(ctx, { chatId, ...(made && { run: made }) }, async () => {
    if (!scopes.has('chats:read')) {
      await untilSettled(ctx, { chatId, seconds });
      return { run: await runInChat(ctx.db, workspaceId, chatId), chatId };
    }
    const { nextCursor: _, ...shown } = await replyIn(ctx, { chatId, sequence: 1 }, seconds);
    return { run: await runInChat(ctx.db, workspaceId, chatId), chatId, ...shown };
  });
}

export const runTodoTool = {
  run_todo: toolProcedure
    .meta(
      tool('run_todo', {
        title: 'Start an agent on a todo',
        description:
          'Start an agent on a todo now, and return at once; spends agent minutes. Its messages are in the chat of the run: get_chat. To start it later or repeatedly, use schedule of update_todo; to ask an agent something without a todo, use create_chat. Example: {"todoId":"…","agentId":"Scout","message":"Only sources of this year."}.',
        scopes: ['todos:write'],
        elicits: true,
        readAgain: { todoId: '00000000-0000-0000-0000-000000000000' },
        rest: 'Call get_chat with the chatId.',
      }),
    )
    .input(
      RunStart.extend({
        todoId,
        agentId: IdOrName.optional().describe('Id or name of an agent. Omitted: the one assigned, else the default.'),
        message: RunStart.shape.message.describe('What the agent should know in addition to the todo.'),
        waitSeconds: waitUpTo(maxToolWait).describe('Wait up to this long for the agent, and show its chat.'),
      }),
    )
    .output(Worked.extend({ run: TodoRun.optional(), chatId: Id }))
    .mutation(async ({ ctx, input: { agentId: given, waitSeconds, ...start } }) => {
      if (ctx.resumed) return workOf(ctx, ctx.resumed.chatId, waitOf(ctx, waitSeconds));
      const agentId = given && (await idOf(ctx.db, ctx.principal.workspaceId, 'agent', given, 'agentId'));
      const run = await runTodo(ctx, { ...start, agentId });
      const seconds = waitOf(ctx, waitSeconds);
      return seconds > 0 ? workOf(ctx, run.chatId, seconds, run) : { run, chatId: run.chatId };
    }),
};
