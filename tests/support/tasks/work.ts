import type { Task } from './task.ts';

const onMondaysAtNine = (value: unknown) =>
  ['FREQ=WEEKLY', 'BYDAY=MO', 'BYHOUR=9'].every((part) => String(value).split(';').includes(part));
const nineToFive = {
  timezone: 'Europe/Berlin',
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  start: '09:00',
  end: '17:00',
};

/** Requests about agents, their chats, and captures. */
export const work: Task[] = [
  {
    request: 'Let the Researcher look into solid-state batteries every Monday at 9.',
    calls: [
      [
        'create_todo',
        {
          title: 'Look into solid-state batteries',
          type: 'responsibility',
          assignees: [{ id: 'Researcher' }],
          schedule: { every: 'week', on: ['mon'], at: '09:00' },
        },
      ],
    ],
    created: {
      todo: [
        {
          ...{ title: /batteries/i, assignees: ['Researcher'], rrule: onMondaysAtNine, run: null },
          nextRunAt: '2031-11-24T08:00:00.000Z',
        },
      ],
    },
  },
  {
    request: 'Let the Writer draft the press release right now.',
    calls: [
      ['list_todos', { query: 'press release' }],
      ['run_todo', { todoId: '$Write the press release', agentId: 'Writer' }],
    ],
    changed: { 'todo Write the press release': { run: 'Writer' } },
    may: ['assignees', 'status'],
  },
  {
    request: 'Make an agent called Proofreader that corrects spelling and never has to ask me.',
    calls: [
      [
        'create_agent',
        { name: 'Proofreader', instructions: 'Correct spelling, change nothing else.', requiresApproval: false },
      ],
    ],
    created: { agent: [{ name: 'Proofreader', requiresApproval: false, instructions: /spelling/i }] },
  },
  {
    request: 'The Writer should ask before it changes anything, and only start on weekdays from nine to five.',
    calls: [
      ['get_agent', { agentId: 'Writer' }],
      [
        'update_agent',
        {
          ...{ agentId: 'Writer', requiresApproval: true, expectedVersion: 1 },
          ...{ workingHoursEnabled: true, workingHours: nineToFive },
        },
      ],
    ],
    changed: { 'agent Writer': { requiresApproval: true, hours: nineToFive } },
  },
  {
    request: 'Teach the Writer a skill "Press releases": one page, quote one person.',
    calls: [
      ['create_skill', { agentId: 'Writer', name: 'Press releases', instructions: 'One page. Quote one person.' }],
    ],
    created: { skill: [{ name: 'Press releases', agent: 'Writer', instructions: /one page/i }] },
  },
  {
    request: 'The digests of the Researcher should have five lines at most, by topic.',
    calls: [
      ['list_skills', { agentId: 'Researcher' }],
      ['update_skill', { skillId: '$Digest', instructions: 'At most five lines, by topic.' }],
    ],
    changed: { 'skill Digest': { instructions: /(five|5) lines/i } },
  },
  {
    request: 'We do not need the Researcher any more, retire it.',
    calls: [['update_agent', { agentId: 'Researcher', archived: true }]],
    changed: { 'agent Researcher': { isArchived: true } },
  },
  {
    request: 'Ask the Writer for three names for our rocket. No todo for that.',
    calls: [['create_chat', { agentId: 'Writer', message: 'Three names for our rocket, please.' }]],
    created: {
      chat: [{ agent: 'Writer', status: 'running', sent: (value: unknown) => /rocket/i.test(String(value)) }],
    },
  },
  {
    request: 'Stop the chat about battery prices.',
    calls: [
      ['list_chats', { query: 'battery prices' }],
      ['stop_chat', { chatId: '$Battery prices' }],
    ],
    changed: { 'chat Battery prices': { status: 'cancelled' } },
  },
  {
    request: 'Tell the agent in the slogans chat to make them shorter.',
    calls: [
      ['list_chats', { query: 'slogans' }],
      ['send_chat_message', { chatId: '$Slogans', message: 'Make them shorter, please.' }],
    ],
    changed: {
      'chat Slogans': {
        status: 'running',
        sent: (value: unknown) => Array.isArray(value) && value.length === 2 && /short/i.test(value[1]),
      },
    },
  },
  {
    request: 'In the weekly planning Grace meant 5 December. Note that with the recording.',
    calls: [
      ['list_captures', { query: 'planning' }],
      ['update_capture', { captureId: '$Weekly planning', notes: 'Grace meant 5 December.' }],
    ],
    changed: { 'capture Weekly planning': { notes: /5 December|December 5/i } },
  },
  {
    request: 'Tag the ideas for the launch with marketing.',
    calls: [
      ['list_captures', { query: 'ideas' }],
      ['update_capture', { captureId: '$Ideas for the launch', tags: ['marketing'] }],
    ],
    changed: { 'capture Ideas for the launch': { tags: ['marketing'] } },
  },
];
