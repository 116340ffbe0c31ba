import { z } from 'zod';
import { causeOf } from './faults.ts';
import { type Done, first, type Plan, respond, type Scene } from './plan.ts';
import { countText, quote, shown } from './rows.ts';
import { isQuoted, quotesIn, type Sentence, written } from './sentence.ts';

const Agents = z.object({
  data: z.array(z.object({ name: z.string(), description: z.string().nullish() })),
  hasMore: z.boolean().nullish(),
});
const Lists = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      emoji: z.string().nullish(),
      isDefault: z.boolean().nullish(),
      activeTodoCount: z.int().nullish(),
    }),
  ),
  hasMore: z.boolean().nullish(),
});
const Made = z.object({ todoList: z.object({ name: z.string() }), created: z.boolean().nullish() });

const page = { limit: 50 };
const more = (hasMore: boolean | null | undefined) => (hasMore ? '\n\n… and more.' : '');
const failure = (what: string, done: Done | undefined) =>
  respond(`I could not ${what}: ${done ? causeOf(done) : 'there is no answer'}.`);

const agentsPlan: Plan = first([{ name: 'list_agents', input: page }], ([done]) => {
  const found = done && !done.isError ? Agents.safeParse(done.output).data : undefined;
  if (!found) return failure('list the agents', done);
  const lines = found.data.map(
    ({ name, description }) => `- ${quote(name)}${description ? `: ${shown(description)}` : ''}`,
  );
  const count = countText(found.data.length, 'agent');
  return respond(
    `There ${found.data.length === 1 ? 'is' : 'are'} ${count}:\n\n${lines.join('\n')}${more(found.hasMore)}`,
    {
      isDone: true,
    },
  );
});

const listsPlan: Plan = first([{ name: 'list_todo_lists', input: page }], ([done]) => {
  const found = done && !done.isError ? Lists.safeParse(done.output).data : undefined;
  if (!found) return failure('list the todo lists', done);
  const lines = found.data.map(({ name, isDefault, activeTodoCount }) => {
    const open = activeTodoCount == null ? '' : `: ${activeTodoCount} open`;
    return `- ${quote(name)}${open}${isDefault ? ' (the default list)' : ''}`;
  });
  const count = countText(found.data.length, 'todo list');
  return respond(
    `There ${found.data.length === 1 ? 'is' : 'are'} ${count}:\n\n${lines.join('\n')}${more(found.hasMore)}`,
    {
      isDone: true,
    },
  );
});

function newListPlan(name: string): Plan {
  return first([{ name: 'upsert_todo_list', input: { name } }], ([done]) => {
    const made = done && !done.isError ? Made.safeParse(done.output).data : undefined;
    if (!made) return failure(`create the list ${quote(name)}`, done);
    const list = quote(made.todoList.name);
    return respond(made.created === false ? `There is a list ${list} already.` : `I created the list ${list}.`, {
      isDone: true,
    });
  });
}

function peopleText({ facts }: Scene): string {
  const { people } = facts.workspace;
  const lines = people.map(({ name }) => `- ${quote(name)}`);
  return `There ${people.length === 1 ? 'is one person' : `are ${people.length} people`}:\n\n${lines.join('\n')}`;
}

const ask =
  '(?:show|list|display|what|which|who|get|see|view|give)(?:\\s+(?:me|us))?(?:\\s+(?:is|are))?(?:\\s+(?:all|the|my|our|of|there|available))*';
const agents = new RegExp(`^${ask}\\s+agents?\\b(?!.*\\btodos?\\b)`, 'i');
const lists = new RegExp(`^${ask}\\s+(?:todo\\s+|task\\s+)?lists\\b`, 'i');
const people = new RegExp(
  `^(?:${ask}\\s+(?:people|members|persons)\\b|who\\s+is\\s+(?:here|in (?:this|the) workspace)|who\\s+can\\s+i\\s+assign\\b)`,
  'i',
);
const newList =
  /^(?:create|add|make|start|set up|new)\s+(?:me\s+)?(?:an?\s+|the\s+)?(?:new\s+)?(?:todo\s+|task\s+)?list\s*(?:(?:called|named|titled|for|with the name)\s+|:\s*)?(.+)$/i;

/** Requests about what there is beside todos: agents, people, todo lists. */
export function readDirectory(scene: Scene, sentence: Sentence): Plan | undefined {
  const { text } = sentence;
  if (text.includes('\n')) return undefined;
  if (agents.test(text)) return agentsPlan;
  if (lists.test(text)) return listsPlan;
  if (people.test(text)) return respond(peopleText(scene));
  const name = newList.exec(text)?.[1];
  if (name === undefined || (!isQuoted(name) && /\b(?:of|with|to)\b/i.test(name))) return undefined;
  if (scene.isRun && !/\blist\s+(?:called|named|titled)\b/i.test(text)) return undefined;
  return newListPlan(quotesIn(sentence, name)[0] ?? written(sentence, name));
}
