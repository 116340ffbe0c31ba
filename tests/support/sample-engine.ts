import { type Engine, type EngineAnswer, type EngineRequest, ModelFault } from '../../engine/engine.ts';
import { reply, use } from './scripted-engine.ts';

/* The agents of the sample workspace: what they answer depends only on what they are asked. */

type Line = (request: EngineRequest, step: number) => EngineAnswer | Promise<EngineAnswer>;

const steps =
  (...answers: EngineAnswer[]): Line =>
  (_, step) =>
    answers[Math.min(step, answers.length - 1)] ?? reply('Done.');

/** Works until it is stopped. */
const never: Line = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const comparison = `**Olive & Thyme** fits best: they serve 180 guests for £21.50 each, bring their own kitchen and can do half of the menu vegan.

- Copper Pot is £2 cheaper, but needs a kitchen on the site.
- Greene’s is booked in the last week of April.

I added their offers to the todo.`;

const week = `Three todos are due this week:

1. **Renew the event insurance**, due tomorrow. Only you can sign it.
2. **Compare three caterers** is done: Olive & Thyme fits best.
3. **Confirm the stage dimensions** waits for the builder.

I would hand the second reminder to the builder to Researcher. Shall I?`;

/** What agents do about a message that contains the phrase. */
const lines: [phrase: string, line: Line][] = [
  ['for 180 guests', steps(use(['list_todos', { query: 'cater' }]), reply(comparison))],
  ['What is due this week', steps(use(['list_todos', { status: 'active', sort: 'dueDate' }]), reply(week))],
  ['three quotes for the stage', never],
  [
    'Ask the band',
    () => {
      throw new ModelFault('The model is not available. Try again later.', { retryable: false });
    },
  ],
  [
    'Order the flowers',
    steps(
      use(
        [
          'create_todo',
          { title: 'Order 40 table bouquets', priority: 'high', content: 'Peonies, from Hannah’s garden.' },
        ],
        ['create_todo', { title: 'Ask for vases on loan', priority: 'low' }],
      ),
      reply('Both todos are on your list.'),
    ),
  ],
];

/** An engine for the sample workspace. */
export class SampleEngine implements Engine {
  readonly name = 'sample';

  async answer(request: EngineRequest): Promise<EngineAnswer> {
    if (request.purpose !== 'turn') return reply('');
    const { conversation } = request;
    const asked = conversation.findLastIndex(
      (each) => each.role === 'user' && lines.some(([phrase]) => each.text.includes(phrase)),
    );
    const question = conversation[asked];
    const line = lines.find(([phrase]) => question?.role === 'user' && question.text.includes(phrase))?.[1];
    if (!line) return reply('I have read it.');
    return line(request, conversation.slice(asked).filter(({ role }) => role === 'agent').length);
  }
}
