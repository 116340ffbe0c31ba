import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventTypes } from '../../domain/events/types.ts';
import { isListed, sentenceOf } from '../../web/src/todo/activity-sentences.ts';
import type { ActivityEvent } from '../../web/src/todo/queries.ts';

const test = suite('the activity of a todo in sentences');

const eventOf = (type: string, changedFields: string[] = [], actor: Partial<ActivityEvent['actor']> = {}) =>
  ({ type, actor: { type: 'user', name: 'Ada', ...actor }, data: { changedFields } }) as unknown as ActivityEvent;

test('changed fields are named in words, each once', () => {
  assert.is(sentenceOf(eventOf('todo.updated', ['title'])), 'Ada changed the title');
  const fields = ['content', 'dueDate', 'todoListId', 'rrule', 'scheduleStatus', 'estimatedMinutes'];
  assert.is(
    sentenceOf(eventOf('todo.updated', fields)),
    'Ada changed the text, the due date, the list, the schedule, and the estimated minutes',
  );
  assert.is(sentenceOf(eventOf('todo.updated')), 'Ada changed it');
});

test('agents, the service and those who left are named', () => {
  const agent = { type: 'agent', name: 'Researcher' } as const;
  assert.is(sentenceOf(eventOf('todo_run.started', [], agent)), 'Researcher started to work');
  assert.is(sentenceOf(eventOf('todo_run.started')), 'Ada started the work of an agent');
  const service = { type: 'service', name: null } as const;
  assert.is(sentenceOf(eventOf('todo_occurrence.missed', [], service)), 'Tandem missed a planned time');
  assert.is(sentenceOf(eventOf('todo.archived', [], { name: null })), 'Somebody who left archived it');
});

test('a run that changes the todo as well is one event to read', () => {
  assert.is(isListed(eventOf('todo.updated', ['latestRun'])), false);
  for (const fields of [[], ['status'], ['status', 'latestRun']])
    assert.is(isListed(eventOf('todo.updated', fields)), true);
  assert.is(isListed(eventOf('todo_run.finished')), true);
});

test('every type of event of a todo has a sentence of its own', () => {
  const types = eventTypes.filter((type) => /^(todo|todo_run|todo_occurrence|comment|schedule)\./.test(type));
  const generic = types.filter(
    (type) => !['todo.updated', 'todo.deleted'].includes(type) && sentenceOf(eventOf(type)) === 'Ada changed it',
  );
  assert.equal(generic, []);
});

test.run();
