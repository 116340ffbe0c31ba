import type { Task } from './task.ts';

interface Row {
  title: string;
  updatedAt: string;
}

/** Requests that change nothing: the reply counts. */
export const reading: Task[] = [
  {
    request: 'What is due this week?',
    calls: [
      [
        'list_todos',
        { status: 'active', dueAfter: '2031-11-17', dueBefore: '2031-11-23', sort: 'dueDate', order: 'asc' },
      ],
    ],
    includes: ['Send the offer', 'Book the venue', 'Plan the party'],
    excludes: ['passport', 'Buy milk'],
  },
  {
    request: 'What did I finish yesterday?',
    calls: [['list_todos', { status: 'done', assigneeId: 'me', updatedSince: '2031-11-18T00:00:00+01:00' }]],
    reply: ({ data }) => data.filter((row: Row) => row.updatedAt < '2031-11-18T23:00:00.000Z'),
    includes: ['Call the bank'],
    excludes: ['Clean the desk', 'File the taxes'],
  },
  {
    request: 'How many todos do I still have open? Just the number.',
    calls: [['list_todos', { assigneeId: 'me', status: 'active', limit: 1 }]],
    reply: ({ summary }) => summary.total,
    includes: [/\b8\b/],
  },
  {
    request: 'What is overdue, whoever should do it?',
    calls: [['list_todos', { status: 'active', dueBefore: '2031-11-18' }]],
    includes: ['Order badges'],
    excludes: ['Send the offer', 'Book the venue'],
  },
  {
    request: 'What do I have to buy? It is on the groceries list.',
    calls: [['list_todo_lists'], ['list_todos', { todoListId: '$Groceries', status: 'active' }]],
    includes: ['milk', 'bread'],
    excludes: ['badges'],
  },
  {
    request: 'Whom do we have to quote in the press release?',
    calls: [
      ['list_todos', { query: 'press release' }],
      ['get_todo', { todoId: '$Write the press release' }],
    ],
    includes: ['Ada'],
  },
  {
    request: 'What was said about the price in the weekly planning?',
    calls: [
      ['list_captures', { query: 'price' }],
      ['get_capture', { captureId: '$Weekly planning', part: 'transcript', find: 'price' }],
    ],
    includes: [/ten euros|10 euros|10 ?€|€ ?10/i],
  },
  {
    request: 'Which agents do we have, and what does the Researcher do?',
    calls: [['list_agents'], ['get_agent', { agentId: 'Researcher' }]],
    reply: (data) => ['Assistant', 'Writer', data],
    includes: ['Writer', 'Researcher', 'sources'],
  },
  {
    request: 'How long may a digest of the Researcher be?',
    calls: [
      ['list_skills', { agentId: 'Researcher' }],
      ['get_skill', { skillId: '$Digest' }],
    ],
    includes: [/ten lines|10 lines/i],
  },
  {
    request: 'Is any agent waiting for me? What does it want to do?',
    calls: [
      ['list_chats', { status: 'awaiting_input' }],
      ['get_chat', { chatId: '$Shopping' }],
    ],
    includes: [/buy milk/i],
    excludes: ['Slogans'],
  },
  {
    request: 'Give me the link to the todo about the venue.',
    calls: [['list_todos', { query: 'venue' }]],
    includes: [/http:\/\/127\.0\.0\.1:\d+\/todos\/[0-9a-f-]{36}/],
  },
  {
    request: 'I want to record our meeting. Where?',
    calls: [['start_capture']],
    includes: [/http:\/\/127\.0\.0\.1:\d+\/record\b/],
  },
];
