import type { ChatEvent } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Announcements, wholeSentences } from '../../web/src/chats/announcements.ts';
import { Conversation } from '../../web/src/chats/conversation.ts';
import type { Message } from '../../web/src/chats/queries.ts';
import { isSameRow, retryText, rowsOf } from '../../web/src/chats/rows.ts';
import { joined, type OpenText, piecesOf, withDelta } from '../../web/src/chats/transcript.ts';
import { nextOpening } from '../../web/src/chats/working-hours.ts';
import { sequenceOf } from '../support/unreliable.ts';
import { until } from '../support/until.ts';

const test = suite('the messages of a chat, joined');

const message = (sequence: number, text = `Text ${sequence}.`, more: Partial<Message> = {}): Message => ({
  object: 'message',
  id: `m${sequence}`,
  chatId: 'c',
  sequence,
  role: 'agent',
  text,
  blocks: text === '' ? [] : [{ type: 'text', text }],
  agentId: null,
  userId: null,
  createdAt: '2026-11-23T10:00:00Z',
  ...more,
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, place) => message(from + place));
const sequences = (messages: readonly Message[]) => messages.map(({ sequence }) => sequence);

test('pages and events in any order make one run without gaps or repetitions, and known messages stay the same', () => {
  const start = joined([], range(5, 8));
  assert.equal(sequences(start), [5, 6, 7, 8]);
  const more = joined(start, [message(9), message(8), message(4), message(11)]);
  assert.equal(sequences(more), [4, 5, 6, 7, 8, 9]);
  assert.is(more[1], start[0]);
  assert.is(joined(more, range(4, 9)), more);
  assert.is(joined(more, [message(11), message(2)]), more);
  assert.equal(sequences(joined(more, range(1, 12))), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('pieces of a text in progress continue it, replace its end, start it again, or begin behind a gap', () => {
  const write = (open: OpenText | null, offset: number, text: string, sequence = 3) =>
    withDelta(open, { sequence, offset, text }, 2);
  const hello = write(write(null, 0, 'Hel'), 3, 'lo there');
  assert.equal(hello, { sequence: 3, start: 0, text: 'Hello there' });
  assert.equal(write(hello, 5, '!'), { sequence: 3, start: 0, text: 'Hello!' });
  assert.equal(write(hello, 0, 'No'), { sequence: 3, start: 0, text: 'No' });
  assert.equal(write(hello, 20, 'late'), { sequence: 3, start: 20, text: 'late' });
  assert.equal(write(write(hello, 20, 'late'), 24, 'r'), { sequence: 3, start: 20, text: 'later' });
  assert.is(write(hello, 0, 'old', 2), hello);
  assert.equal(write(hello, 0, 'Next', 4), { sequence: 4, start: 0, text: 'Next' });
});

test('Markdown in progress is split where a piece can be parsed alone', () => {
  const text = 'One\ntwo\n\n```js\na\n\nb\n```\n\n- x\n- y\n\nend';
  assert.equal(piecesOf(text), ['One\ntwo', '```js\na\n\nb\n```', '- x\n- y', 'end']);
  assert.equal(piecesOf('```\nopen\n\nstill'), ['```\nopen\n\nstill']);
  for (let end = 1; end <= text.length; end++) {
    const before = piecesOf(text.slice(0, end - 1)).slice(0, -1);
    assert.equal(piecesOf(text.slice(0, end)).slice(0, before.length), before, text.slice(0, end));
  }
});

test('calls in a row are one row of steps with what became of them, texts and decisions rows of their own', () => {
  const call = (id: string, approvalId: string | null = null) => ({
    type: 'tool_call' as const,
    id,
    name: 'create_todo',
    title: 'Create a todo',
    input: {},
    requiresApproval: approvalId !== null,
    approvalId,
  });
  const result = (toolCallId: string, isError = false) => ({
    type: 'tool_result' as const,
    toolCallId,
    isError,
    output: {},
    truncated: false,
  });
  const decision = {
    type: 'approval_decision',
    approvalId: 'a1',
    decision: 'approve',
    note: null,
    decidedBy: 'u',
  } as const;
  const messages = [
    message(1, 'Do it', { role: 'user' }),
    message(2, '', { blocks: [call('c1'), call('c2')] }),
    message(3, 'c1: done.', { role: 'system', blocks: [result('c1')] }),
    message(4, 'c2: failed.', { role: 'system', blocks: [result('c2', true)] }),
    message(5, '', { blocks: [call('c3', 'a1')] }),
    message(6, '', { role: 'system', blocks: [decision] }),
    message(7, 'done', { role: 'system', blocks: [result('c3')] }),
    message(8, 'All done.'),
  ];
  const rows = rowsOf(messages);
  assert.equal(
    rows.map(({ type, sequence }) => [type, sequence]),
    [
      ['text', 1],
      ['steps', 2],
      ['decision', 6],
      ['text', 8],
    ],
  );
  const steps = rows[1]?.type === 'steps' ? rows[1].steps : [];
  assert.equal(
    steps.map((step) => [step.call.id, step.result?.isError, step.decision]),
    [
      ['c1', false, null],
      ['c2', true, null],
      ['c3', false, 'approve'],
    ],
  );
  const before = rowsOf(messages.slice(0, -2));
  assert.equal(
    before.map((row, place) => isSameRow(row, rows[place] as typeof row)),
    [true, false, true],
  );
  assert.is(retryText(messages.slice(0, 1)), 'Do it');
  assert.is(retryText(messages), 'Please continue where you stopped.');
});

test('sentences are announced whole and once, also when the message settles', () => {
  assert.is(wholeSentences('It costs 3.50 now. And th'), 'It costs 3.50 now.');
  const announced = new Announcements(range(1, 2));
  const write = (text: string, start = 0) => announced.textIs({ sequence: 3, start, text });
  write('Hello **you**. How a');
  assert.is(announced.take(), 'Hello you.');
  write('Hello **you**. How are things? I');
  announced.messagesAre([...range(1, 2), message(3, 'Hello **you**. How are things? I am fine'), message(4)]);
  assert.is(announced.take(), 'How are things? I am fine Text 4.');
  announced.messagesAre([...range(1, 2), message(3), message(4), message(5, 'You', { role: 'user' })]);
  assert.is(announced.take(), '');
});

test('a conversation is whole although its stream ends anywhere, and draws its open text a few times a second', async () => {
  const all = range(1, 400);
  const random = sequenceOf(7);
  let connections = 0;
  const messages = async (after: number, limit: number) => {
    const data = all.slice(after, after + limit);
    return { data, hasMore: after + data.length < all.length };
  };
  async function* follow(after: number): AsyncGenerator<ChatEvent> {
    connections++;
    for (const next of all.slice(after)) {
      if (random() < 0.1) throw new Error('cut');
      yield { event: 'delta', data: { sequence: next.sequence, offset: 0, text: 'Prov' } };
      if (random() < 0.1) throw new Error('cut');
      yield { event: 'message', id: next.sequence, data: next };
    }
    yield { event: 'done', data: { status: 'completed' } };
  }
  const conversation = new Conversation({ messages, follow, stored: () => [] }, 0);
  await conversation.open(300);
  assert.equal(sequences(conversation.view().messages), sequences(all.slice(200, 300)));
  let draws = 0;
  conversation.subscribeText(() => draws++);
  const seen: string[] = [];
  await conversation.follow(new AbortController().signal, (status) => seen.push(status));
  await conversation.readOlder();
  await conversation.readOlder();
  await conversation.readOlder();
  assert.equal(sequences(conversation.view().messages), sequences(all));
  assert.equal([seen, conversation.openText()], [['completed'], null]);
  assert.ok(connections > 5, `${connections} connections`);
  assert.ok(draws < 20, `${draws} draws of ${all.length} texts`);
});

test('a stream that cannot be had is said, and messages are read without it', async () => {
  const all = range(1, 250);
  const conversation = new Conversation({
    messages: async (after, limit) => ({ data: all.slice(after, after + limit), hasMore: after + limit < all.length }),
    // biome-ignore lint/correctness/useYield: it fails before the first event.
    follow: async function* () {
      throw new Error('lost');
    },
    stored: () => [],
  });
  await conversation.open(20);
  const ended = new AbortController();
  const following = conversation.follow(ended.signal, () => {});
  await until(() => conversation.view().isStreamLost);
  await conversation.readNewer();
  assert.is(conversation.view().messages.length, all.length);
  ended.abort();
  await following;
});

/** A conversation of a chat with 250 messages whose reads fail with these errors first, and how often it read. */
function failing(...errors: (object | null)[]) {
  return failingWith([], ...errors);
}

/** The same where the browser has stored these messages. */
function failingWith(stored: Message[], ...errors: (object | null)[]) {
  const all = range(1, 250);
  let reads = 0;
  const conversation = new Conversation(
    {
      messages: async (after, limit) => {
        const problem = errors[reads++];
        if (problem) throw Object.assign(new Error('It failed'), { problem });
        return { data: all.slice(after, after + limit), hasMore: after + limit < all.length };
      },
      follow: async function* () {},
      stored: () => stored,
    },
    0,
    0,
  );
  return { conversation, reads: () => reads };
}

const away = { status: 503, retryable: true };
const refused = { status: 403, retryable: false };

test('messages that could not be read are read again until all are there', async () => {
  const signal = new AbortController().signal;
  const { conversation, reads } = failing(away, away, null, away, null, away);
  await conversation.keepUp(120, signal);
  assert.equal(sequences(conversation.view().messages), sequences(range(21, 120)));
  assert.is(conversation.view().error, null);
  await conversation.keepUp(250, signal);
  assert.is(conversation.view().messages.at(-1)?.sequence, 250);
  const before = reads();
  await conversation.keepUp(250, signal);
  assert.is(reads(), before, 'nothing is missing');
});

test('where the service cannot be reached, what is stored is shown, and what is newer is read once it can', async () => {
  const signal = new AbortController().signal;
  const unreachable = { status: 0, retryable: true };
  const first = failingWith(range(1, 100), away);
  await first.conversation.open(120);
  assert.not(first.conversation.view().isOpened, 'the service answered');
  const { conversation } = failingWith(range(1, 100), unreachable, unreachable);
  await conversation.open(120);
  assert.ok(conversation.view().isOpened);
  assert.equal(sequences(conversation.view().messages), sequences(range(1, 100)));
  await conversation.keepUp(120, signal);
  assert.is(conversation.view().messages.at(-1)?.sequence, 250);
});

test('a failure that does not pass ends the reads, and is shown', async () => {
  const signal = new AbortController().signal;
  const opening = failing(refused);
  await opening.conversation.keepUp(120, signal);
  assert.equal([opening.reads(), opening.conversation.view().isOpened], [1, false]);
  assert.match(String(opening.conversation.view().error), 'It failed');
  const { conversation, reads } = failing(null, refused);
  await conversation.keepUp(120, signal);
  await conversation.keepUp(250, signal);
  assert.is(reads(), 2);
  assert.match(String(conversation.view().newerError), 'It failed');
  await conversation.readNewer();
  assert.is(conversation.view().newerError, null);
  assert.is(conversation.view().messages.at(-1)?.sequence, 250);
});

test('a page that is left reads nothing again', async () => {
  const left = new AbortController();
  const { conversation, reads } = failing(...Array(9).fill(away));
  conversation.subscribe(() => left.abort());
  await conversation.keepUp(120, left.signal);
  assert.is(reads(), 1);
});

test('the next opening of working hours is named in their zone', () => {
  const hours = {
    timezone: 'Europe/Berlin',
    days: ['mon', 'tue', 'fri'] as ('mon' | 'tue' | 'fri')[],
    start: '09:00',
    end: '17:00',
  };
  const at = (instant: string) => nextOpening(hours, new Date(instant));
  assert.is(at('2026-11-23T07:00:00Z'), 'today at 09:00');
  assert.is(at('2026-11-23T08:00:00Z'), null);
  assert.is(at('2026-11-23T16:00:00Z'), 'tomorrow at 09:00');
  assert.is(at('2026-11-24T16:00:00Z'), 'on Friday at 09:00');
  assert.is(at('2026-11-27T16:00:00Z'), 'on Monday at 09:00');
});

test.run();
