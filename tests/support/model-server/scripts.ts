import type { Asked, Script, ScriptedAnswer } from './script.ts';

function lastUserText({ messages }: Asked): string {
  return messages.findLast((message) => message.role === 'user')?.text ?? '';
}

/** Always the same short text. */
const instant = (): ScriptedAnswer => ({ text: 'Done.' });

/** Makes one todo, titled like the last message of the user, and then says so. */
function todoMaker(asked: Asked): ScriptedAnswer {
  const last = asked.messages.at(-1);
  if (last?.role === 'tools') {
    const failed = last.results.some(({ isError }) => isError);
    return { text: failed ? 'The todo could not be made.' : 'The todo is made.' };
  }
  if (!asked.tools.some(({ name }) => name === 'create_todo')) return { text: 'Done.' };
  const title = lastUserText(asked).trim().split('\n')[0]?.slice(0, 200) || 'Untitled';
  return { text: 'I make the todo.', toolCalls: [{ name: 'create_todo', input: { title } }] };
}

const scripts = { instant, 'todo-maker': todoMaker };
export type ScriptName = keyof typeof scripts;
export const scriptNames = Object.keys(scripts) as ScriptName[];

/** A built-in script, each answer `delayMs` late. */
export function builtInScript(name: ScriptName, delayMs = 0): Script {
  return (asked) => ({ ...scripts[name](asked), delayMs });
}
