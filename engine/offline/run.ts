import type { TodoFacts } from '../facts.ts';
import { aboutText } from './about.ts';
import type { Exchange } from './exchanges.ts';
import { causeOf } from './faults.ts';
import { andThen, first, type Plan, respond, type Scene } from './plan.ts';
import { quoted } from './reading.ts';
import { titleOf } from './rows.ts';

/** How the message that opens the chat of a run begins when nobody wrote one. */
const opening = /^work on (?:this todo\.$|the todo “)/i;

/** Whether the turn is to follow the text of a todo, not a person's message. */
export function opensRun({ facts }: Scene, { request, fromAgent }: Exchange): boolean {
  return facts.todo !== null && facts.trigger !== 'chat' && (fromAgent !== undefined || opening.test(request));
}

const left = 'I left it as it is.';

function cannot(scene: Scene, todo: TodoFacts): Plan {
  const text = `I could not do the work of the todo ${titleOf(todo)}: it is none of the plain requests that I understand. ${left}`;
  const content = todo.title && todo.content?.trim() ? [`It says:\n\n${quoted(todo.content, 500)}`] : [];
  return respond([text, ...content, aboutText(scene)].join('\n\n'));
}

function completed(todo: TodoFacts, text: string): Plan {
  return first([{ name: 'complete_todo', input: { todoId: todo.id } }], ([done]) => {
    const ok = done && !done.isError;
    return respond(
      `${text}\n\n${ok ? `I completed the todo ${titleOf(todo)}.` : `I did not complete the todo ${titleOf(todo)}: ${done ? causeOf(done) : 'there is no answer'}.`}`,
    );
  });
}

/**
 * The plan for the todo of a run. `read` makes a plan of a text if it is a plain request. The todo is completed only
 * when its whole text was one and all of it was done; standing work never is.
 */
export function runPlan(scene: Scene, read: (text: string) => Plan | undefined): Plan {
  const { todo } = scene.facts;
  if (!todo) return respond('There is no todo to work on.');
  const title = todo.title?.trim() ?? '';
  const content = todo.content?.trim() ?? '';
  const texts = [title, content].filter((text) => text !== '');
  const plan = texts.map(read).find((each) => each !== undefined);
  if (!plan) return cannot(scene, todo);
  return andThen(plan, (end) => {
    if (!end.isDone) return respond(`${end.text}\n\n${left}`);
    if (todo.type === 'responsibility') return respond(end.text);
    if (texts.length === 1 && scene.tools.has('complete_todo')) return completed(todo, end.text);
    return respond(
      `${end.text}\n\nThat is all of the todo ${titleOf(todo)} that I understood, so I did not complete it.`,
    );
  });
}
