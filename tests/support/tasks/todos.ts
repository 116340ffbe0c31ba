import type { Task } from './task.ts';

const weekly = (day: string, hour: number) => (value: unknown) =>
  [`FREQ=WEEKLY`, `BYDAY=${day}`, `BYHOUR=${hour}`, 'BYMINUTE=0'].every((part) =>
    String(value).split(';').includes(part),
  );
const ended = { rrule: null, timezone: null, nextRunAt: null, scheduleType: null, scheduleStatus: null };

/** Requests that change todos and their lists. */
export const todos: Task[] = [
  {
    request: 'Move everything that is due this week, done or overdue things aside, to Friday.',
    calls: [
      ['list_todos', { status: 'active', dueAfter: '2031-11-19', dueBefore: '2031-11-23' }],
      ['update_todo', { todoId: '$Send the offer', dueDate: '2031-11-21' }],
      ['update_todo', { todoId: '$Plan the party', dueDate: '2031-11-21' }],
    ],
    changed: { 'todo Send the offer': { dueDate: '2031-11-21' }, 'todo Plan the party': { dueDate: '2031-11-21' } },
  },
  {
    request: 'I called the accountant, tick it off.',
    calls: [
      ['list_todos', { query: 'accountant' }],
      ['complete_todo', { todoId: '$Call the accountant' }],
    ],
    changed: { 'todo Call the accountant': { status: 'done' } },
  },
  {
    request: 'I have not really cleaned the desk. Open it again.',
    calls: [
      ['list_todos', { query: 'desk' }],
      ['reopen_todo', { todoId: '$Clean the desk' }],
    ],
    changed: { 'todo Clean the desk': { status: 'ready' } },
  },
  {
    request: 'Delete the passport todo, I do not need it.',
    calls: [
      ['list_todos', { query: 'passport' }],
      ['archive_todo', { todoId: '$Renew the passport' }],
    ],
    changed: { 'todo Renew the passport': { isArchived: true } },
  },
  {
    request: 'We need the old flyer after all, bring that todo back.',
    calls: [
      ['list_todos', { query: 'flyer', includeArchived: true }],
      ['unarchive_todo', { todoId: '$Print the old flyer' }],
    ],
    changed: { 'todo Print the old flyer': { isArchived: false } },
  },
  {
    request: 'Add "Order flowers" to Launch: for Olga, by tomorrow, high priority.',
    calls: [
      [
        'create_todo',
        {
          ...{ title: 'Order flowers', todoListId: 'Launch', dueDate: '2031-11-20', priority: 'high' },
          assignees: [{ id: 'Olga' }],
        },
      ],
    ],
    created: {
      todo: [
        {
          title: /flowers/i,
          list: 'Launch',
          dueDate: '2031-11-20',
          priority: 'high',
          assignees: ['Olga'],
          rrule: null,
        },
      ],
    },
  },
  {
    request: 'Remind me every Saturday at 8 in the morning to water the plants.',
    calls: [['create_todo', { title: 'Water the plants', schedule: { every: 'week', on: ['sat'], at: '08:00' } }]],
    created: {
      todo: [
        {
          ...{ title: /water the plants/i, assignees: ['Tess'], rrule: weekly('SA', 8) },
          nextRunAt: '2031-11-22T07:00:00.000Z',
        },
      ],
    },
    may: ['type'],
  },
  {
    request: 'Remind me once, on Friday at five in the afternoon, to call Mum.',
    calls: [['create_todo', { title: 'Call Mum', schedule: { runAt: '2031-11-21T17:00:00+01:00' } }]],
    created: {
      todo: [
        {
          ...{ title: /call mum/i, assignees: ['Tess'], scheduleType: 'one_off' },
          nextRunAt: '2031-11-21T16:00:00.000Z',
        },
      ],
    },
  },
  {
    request: 'Remind me on the last Friday of each month at 9 to send invoices.',
    calls: [
      [
        'create_todo',
        { title: 'Send invoices', schedule: { rrule: 'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0;BYSECOND=0' } },
      ],
    ],
    created: { todo: [{ title: /invoices/i, rrule: /MONTHLY/, nextRunAt: '2031-11-28T08:00:00.000Z' }] },
  },
  {
    request: 'I take the badges over together with Olga.',
    calls: [
      ['list_todos', { query: 'badges' }],
      ['update_todo', { todoId: '$Order badges', assignees: [{ id: 'Olga' }, { id: 'me' }] }],
    ],
    changed: { 'todo Order badges': { assignees: ['Olga', 'Tess'] } },
  },
  {
    request: 'The passport has no due date and no priority any more.',
    calls: [
      ['list_todos', { query: 'passport' }],
      ['update_todo', { todoId: '$Renew the passport', clear: ['dueDate', 'priority'] }],
    ],
    changed: { 'todo Renew the passport': { dueDate: null, priority: null } },
  },
  {
    request: 'Pause the rent reminders until I say so.',
    calls: [
      ['list_todos', { query: 'rent' }],
      ['update_todo', { todoId: '$Pay the rent', schedulePaused: true }],
    ],
    changed: { 'todo Pay the rent': { scheduleStatus: 'disabled', nextRunAt: null } },
  },
  {
    request: 'The rent is paid by standing order now: no more reminders, but keep the todo open.',
    calls: [
      ['list_todos', { query: 'rent' }],
      ['update_todo', { todoId: '$Pay the rent', clear: ['schedule'] }],
    ],
    changed: { 'todo Pay the rent': ended },
    may: ['type'],
  },
  {
    request: 'Milk does not belong on the groceries list, put it in the inbox.',
    calls: [
      ['list_todos', { query: 'milk', todoListId: 'Groceries' }],
      ['update_todo', { todoId: '$Buy milk', todoListId: 'Inbox' }],
    ],
    changed: { 'todo Buy milk': { list: 'Inbox' } },
  },
  {
    request: 'Make a list called Moving house with a truck emoji.',
    calls: [['upsert_todo_list', { name: 'Moving house', emoji: '🚚' }]],
    created: { list: [{ name: 'Moving house', emoji: /🚚|🚛/u }] },
  },
  {
    request: 'We are done shopping for good: archive the groceries list, not its todos.',
    calls: [['upsert_todo_list', { todoListId: 'Groceries', archived: true }]],
    changed: { 'list Groceries': { isArchived: true } },
  },
];
