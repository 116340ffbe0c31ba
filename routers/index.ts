import { auth } from './accounts/index.ts';
import { agents } from './agents/index.ts';
import { skillTools } from './agents/skill-tools.ts';
import { skills } from './agents/skills.ts';
import { agentTools } from './agents/tools.ts';
import { apiKeys } from './api-keys.ts';
import { approvals } from './approvals/index.ts';
import { router } from './base.ts';
import { captures } from './captures/index.ts';
import { captureTools } from './captures/tools.ts';
import { chats } from './chats/index.ts';
import { chatTools } from './chats/tools.ts';
import { connectedApps } from './connected-apps.ts';
import { meta } from './meta.ts';
import { notifications } from './notifications/index.ts';
import { todoLists } from './todo-lists/index.ts';
import { todoListTools } from './todo-lists/tools.ts';
import { todos } from './todos/index.ts';
import { todoListTool } from './todos/list-tool.ts';
import { getTodoTool, runTodoTool } from './todos/run-tools.ts';
import { todoTools } from './todos/tools.ts';
import { usage } from './usage/index.ts';
import { workspaces } from './workspaces/index.ts';

export const appRouter = router({
  meta,
  auth,
  workspaces,
  apiKeys,
  connectedApps,
  todos,
  todoLists,
  chats,
  agents,
  skills,
  captures,
  approvals,
  notifications,
  usage,
});

/** The tools for assistants by name, in the order of SPEC "Hosted MCP endpoint". */
export const toolRouter = router({
  ...todoListTool,
  ...getTodoTool,
  ...todoTools,
  ...runTodoTool,
  ...chatTools,
  ...agentTools,
  ...skillTools,
  ...captureTools,
  ...todoListTools,
});

/** The type of the whole typed API, for `@trpc/client`. */
export type AppRouter = typeof appRouter;
