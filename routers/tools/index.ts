import { router } from '../base.ts';
import { agentTools } from './agents.ts';
import { captureTools } from './captures.ts';
import { chatTools } from './chats.ts';
import { skillTools } from './skills.ts';
import { todoListTool } from './todo-list.ts';
import { todoListTools } from './todo-lists.ts';
import { getTodoTool, runTodoTool } from './todo-runs.ts';
import { todoTools } from './todos.ts';

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
