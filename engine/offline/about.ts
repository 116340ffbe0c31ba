import { type Plan, respond, type Scene } from './plan.ts';
import type { Sentence } from './sentence.ts';

/** How the engine describes itself; it never claims more than it can do. */
const self = 'I am the built-in engine of Tandem: I work offline, without a language model.';

const examples: [tools: string[], text: string][] = [
  [
    ['create_todo'],
    'Create todos: “create an urgent todo to call the bank by Friday”, “add milk, eggs and bread to Groceries”',
  ],
  [['list_todos'], 'Find and count them: “what is due this week?”, “find todos about invoices”, “how many are open?”'],
  [['list_todos'], 'Sum them up: “summarise my todos”'],
  [['complete_todo'], 'Complete, reopen and archive them: “complete “Call the bank””'],
  [
    ['update_todo'],
    'Change them: “make “Call the bank” high priority”, “move “Buy milk” to Groceries”, “rename …”, “postpone … to Monday”, “assign … to Ada”',
  ],
  [['list_todo_lists'], 'Show the todo lists: “which lists are there?”'],
  [['list_agents'], 'Show the agents: “list the agents”'],
  [['list_captures'], 'Find and quote captures: “find captures about pricing”'],
];

/** What it is and what it can do with the tools there are, with examples. */
export function aboutText({ tools }: Scene): string {
  const lines = examples.filter(([needed]) => needed.every((name) => tools.has(name))).map(([, text]) => `- ${text}`);
  const can =
    lines.length > 0
      ? `I understand plain requests in English, such as:\n\n${lines.join('\n')}`
      : 'Here I have no tools that I could use.';
  return `${self} ${can}\n\nI cannot write, plan or think things through, nor follow an agent’s own instructions and skills. For that, set up a language model for this service.`;
}

const questions =
  /^(?:help(?: me)?|what (?:can|could) you do(?: for me)?(?: here)?|what do you do|who are you|what are you|how (?:do|can) i use you|how do you work|how does this work|what (?:can|should) i (?:say|ask)(?: you)?|are you (?:an? )?(?:ai|bot|robot|human|person|model|llm|gpt|chatgpt|claude|language model|real)\b.*|which model are you|what model (?:are you|is this)|introduce yourself|commands|examples|what commands .*|tell me about yourself|\/?help|\?+)$/i;
const greetings =
  /^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|greetings)(?: there| everyone| @?\p{L}+)?$/iu;
const thanks =
  /^(?:thanks|thank you|thx|cheers|many thanks|great|perfect|nice|good|well done|awesome|cool|ok|okay|got it|understood)(?:[\s,!.]+(?:thanks|thank you|a lot|so much|very much|job|work|you|that is all))*$/i;
const stops =
  /^(?:never ?mind|cancel(?: (?:that|it|this))?|forget (?:it|that)|stop|no|nope|no thanks|no thank you|none(?: of (?:them|these|those))?|neither|nothing|leave it)$/i;

/** What is no request: greetings, thanks, and questions about itself. */
export function readSmallTalk(scene: Scene, sentence: Sentence): Plan | undefined {
  const text = sentence.text.trim();
  if (questions.test(text) || text === '') return respond(aboutText(scene));
  if (greetings.test(text)) return respond(`Hello! ${aboutText(scene)}`);
  if (stops.test(text)) return respond('All right, I changed nothing.');
  if (thanks.test(text)) return respond('You are welcome.');
  return undefined;
}

/** For what it does not understand. */
export function notUnderstood(scene: Scene): Plan {
  return respond(`I did not understand that, so I changed nothing. ${aboutText(scene)}`);
}
