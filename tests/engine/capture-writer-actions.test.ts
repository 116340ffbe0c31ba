import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CaptureMaterial, SuggestedTodo } from '../../engine/writer/captures/shapes.ts';
import { offlineWriter } from '../../engine/writer/offline.ts';

const test = suite('built-in action items of captures');

const { signal } = new AbortController();

/** 20 November 2026 is a Friday. */
const base: CaptureMaterial = {
  type: 'recording',
  title: 'Weekly',
  text: null,
  notes: null,
  date: '2026-11-20',
  people: ['Alice Smith', 'Bob Jones', 'Chen Wei', 'José García', 'Mark Lee', 'Will Young', 'Sam Fox', 'Sam Hill'],
};

async function todosOf(material: Partial<CaptureMaterial>): Promise<SuggestedTodo[]> {
  return (await offlineWriter.capture({ ...base, ...material }, { signal })).todos;
}

const brief = (todos: readonly SuggestedTodo[]) =>
  todos.map(({ title, dueDate, assignee }) => [title, dueDate, assignee].map((each) => each ?? '-').join(' | '));

/** What Bob says in a meeting, and the todos of it. */
const sentences: Record<string, string[]> = {
  "I'll send the report by Monday.": ['Send the report | 2026-11-23 | Bob Jones'],
  'I’ll send you the report by Monday.': ['Send the report | 2026-11-23 | Bob Jones'],
  'I will write the minutes tomorrow.': ['Write the minutes | 2026-11-21 | Bob Jones'],
  "I'm going to call the landlord on Tuesday.": ['Call the landlord | 2026-11-24 | Bob Jones'],
  'I am going to call the landlord on the 3rd.': ['Call the landlord | 2026-12-03 | Bob Jones'],
  "Okay, so I'll draft the contract by end of day.": ['Draft the contract | 2026-11-20 | Bob Jones'],
  "Sure, I'll have the slides ready by Thursday.": ['Have the slides ready | 2026-11-26 | Bob Jones'],
  "I'll get back to you by Wednesday.": ['Get back to you | 2026-11-25 | Bob Jones'],
  'I need to finish the tax return by 2026-12-15.': ['Finish the tax return | 2026-12-15 | Bob Jones'],
  'I have to renew my passport by December 1st.': ['Renew my passport | 2026-12-01 | Bob Jones'],
  "I'll look into the billing issue by EOW.": ['Look into the billing issue | 2026-11-22 | Bob Jones'],
  "I'll ask the lawyer about it tomorrow because the contract is old.": [
    'Ask the lawyer about it because the contract is old | 2026-11-21 | Bob Jones',
  ],
  "i'll send the report by monday": ['Send the report | 2026-11-23 | Bob Jones'],
  'Alice will send the report by Friday.': ['Send the report | 2026-11-27 | Alice Smith'],
  'Alice Smith will update the budget before next Wednesday.': ['Update the budget | 2026-11-24 | Alice Smith'],
  'José García is going to review the draft next week.': ['Review the draft | 2026-11-29 | José García'],
  'Jose is going to review the draft this week.': ['Review the draft | 2026-11-22 | José García'],
  'Chen to prepare the demo by Thursday.': ['Prepare the demo | 2026-11-26 | Chen Wei'],
  'Bob to call the bank.': ['Call the bank | - | Bob Jones'],
  'Alice agreed to write the press release by 5 December.': ['Write the press release | 2026-12-05 | Alice Smith'],
  'Alice must return the keys by 30 November.': ['Return the keys | 2026-11-30 | Alice Smith'],
  'Alice and Bob will clean the office by Friday.': ['Clean the office | 2026-11-27 | -'],
  'Sam will order the chairs by Friday.': ['Order the chairs | 2026-11-27 | -'],
  'Sam Hill will order the chairs by Friday.': ['Order the chairs | 2026-11-27 | Sam Hill'],
  'Will will fix the login bug by Monday.': ['Fix the login bug | 2026-11-23 | Will Young'],
  'Mark will send the invoices by Friday.': ['Send the invoices | 2026-11-27 | Mark Lee'],
  "We'll send the proposal by Friday.": ['Send the proposal | 2026-11-27 | -'],
  'We will finish the prototype in two weeks.': ['Finish the prototype | 2026-12-04 | -'],
  'We need to submit the application by 30 November.': ['Submit the application | 2026-11-30 | -'],
  'Alice will also check the fire exits by Monday.': ['Check the fire exits | 2026-11-23 | Alice Smith'],
  'Alice will send the deck by Friday and Chen will book the room by Thursday.': [
    'Send the deck | 2026-11-27 | Alice Smith',
    'Book the room | 2026-11-26 | Chen Wei',
  ],
  'Alice will check if the server is up by Friday.': ['Check if the server is up | 2026-11-27 | Alice Smith'],
  "I'll prepare the quarterly numbers for the board.": ['Prepare the quarterly numbers for the board | - | Bob Jones'],
  "I'll set up a meeting with the new supplier.": ['Set up a meeting with the new supplier | - | Bob Jones'],
  "I'll send Friday's numbers to the bank.": ["Send Friday's numbers to the bank | - | Bob Jones"],
  'By Friday, Alice will send the report.': ['Send the report | 2026-11-27 | Alice Smith'],
  "Once the data is in, I'll update the dashboard by Friday.": ['Update the dashboard | 2026-11-27 | Bob Jones'],
  'As discussed, Chen will migrate the database this week.': ['Migrate the database | 2026-11-22 | Chen Wei'],
  'TODO: call the plumber': ['Call the plumber | - | -'],
  'TODO call the plumber': ['Call the plumber | - | -'],
  'TODO(alice): renew the domain': ['Renew the domain | - | Alice Smith'],
  'To do: water the plants': ['Water the plants | - | -'],
  'Action item: send the survey to all customers': ['Send the survey to all customers | - | -'],
  'Action item for Chen: compare the three offers by Friday': ['Compare the three offers | 2026-11-27 | Chen Wei'],
  'Action: Chen will update the roadmap by Monday.': ['Update the roadmap | 2026-11-23 | Chen Wei'],
  'Next step: ask legal about the clause.': ['Ask legal about the clause | - | -'],
  'Next steps: Alice sends the report by Friday; Chen books the room.': [
    'Send the report | 2026-11-27 | Alice Smith',
    'Book the room | - | Chen Wei',
  ],
  '@Alice please send the slides by Friday': ['Send the slides | 2026-11-27 | Alice Smith'],
  '@chen review the pull request': ['Review the pull request | - | Chen Wei'],
  '@alice.smith: update the FAQ by Monday': ['Update the FAQ | 2026-11-23 | Alice Smith'],
  'Remember to pay the rent tomorrow.': ['Pay the rent | 2026-11-21 | -'],
  "Don't forget to send the photos by Friday.": ['Send the photos | 2026-11-27 | -'],
  'Alice, please send me the figures by Friday.': ['Send me the figures | 2026-11-27 | Alice Smith'],
  'Aufgabe: Angebot einholen bis 24.12.': ['Angebot einholen | 2026-12-24 | -'],
  'À faire : envoyer le devis': ['Envoyer le devis | - | -'],
  'Tarea: enviar el presupuesto': ['Enviar el presupuesto | - | -'],
  '待办：更新价格页面 12月10日': ['更新价格页面 | 2026-12-10 | -'],
  'Alice will send the report by 30 February 2027.': ['Send the report by 30 February 2027 | - | Alice Smith'],
};

test('what somebody explicitly says is to be done is a todo, with its day and whose it is', async () => {
  for (const [sentence, expected] of Object.entries(sentences)) {
    const text = `Alice Smith: Hello there.\n\nBob Jones: ${sentence}\n\nAlice Smith: Right.`;
    assert.equal(brief(await todosOf({ text })), expected, sentence);
  }
});

const nothing = [
  "I won't send the report by Friday.",
  'I will not send the report by Friday.',
  'Alice will never finish this by Friday.',
  'Alice won’t be able to send it by Friday.',
  "I don't have to send the report by Friday.",
  'We would send the report by Friday.',
  'I could send it by Friday.',
  'I might call him tomorrow.',
  'I should send the report by Friday.',
  'If we win, Alice will send the contract by Friday.',
  'Alice will send the contract by Friday if we win.',
  'Maybe Chen will book the room by Friday.',
  'Alice will probably send it by Friday.',
  'I think Alice will send it by Friday.',
  'Imagine Alice will send the report by Friday.',
  'Will Alice send the report by Friday?',
  'Can you send the report by Friday, Alice?',
  'Could Chen book the room by Friday?',
  "I'll send it by Friday, okay?",
  "Let's send the report by Friday.",
  'Alice will have sent the report by Friday.',
  'I would have sent the report by Friday.',
  'Alice sent the report on Friday.',
  'I called the bank yesterday.',
  'It will rain by Friday.',
  'The report will arrive by Friday.',
  'Prices will rise by March.',
  'The team will grow by March.',
  'Friday will be busy.',
  'Apple will release a phone by Friday.',
  "I'll be on holiday until Monday.",
  "I'll see you on Monday.",
  "We'll meet again next week.",
  'We will talk about it tomorrow.',
  "I'll believe it when I see it.",
  "I'll let you know by Friday.",
  'I will finally go home tomorrow.',
  "I'll share my screen now.",
  "I'll send it to you right now.",
  "I'll post the link in the chat.",
  "I'll start with the numbers first.",
  'Alice will come on Friday.',
  'She will send the report by Friday.',
  'You will send the report by Friday.',
  'Someone will fix it by Friday.',
  'He said Alice will send the report by Friday.',
  "Alice's team will send it by Friday.",
  'The TODO list is long.',
  'TODO list for the week',
  'No action items today.',
  'Action items: none',
  'TODO: none',
  'TODO: what about the budget?',
  'Thanks to Alice the report is done.',
  'From Alice to Chen by Friday.',
  'Mark to market accounting starts on Friday.',
  'AI: the future of work',
  '@Alice great job on the slides!',
  '@Alice thanks for the report by Friday',
  '@nobody send the slides by Friday',
  'Alice, please go ahead.',
  'Call me on Friday.',
];

test('nothing that is denied, asked, supposed, past, said of the weather or of the meeting itself is a todo', async () => {
  for (const sentence of nothing) {
    const text = `Alice Smith: Hello there.\n\nBob Jones: ${sentence}\n\nAlice Smith: Right.`;
    assert.equal(brief(await todosOf({ text })), [], sentence);
  }
});

/** Lines of a note, and the todos of them. */
const written: [string, string[]][] = [
  ['- [ ] buy milk', ['Buy milk | - | -']],
  ['* [ ] **Review** the `checkout` design @chen', ['Review the checkout design | - | Chen Wei']],
  ['1. [ ] Call the bank (Alice, by Friday)', ['Call the bank | 2026-11-27 | Alice Smith']],
  ['- [ ] Call the bank (urgent)', ['Call the bank (urgent) | - | -']],
  ['- [ ] Alice: call the bank, due 2026-12-01', ['Call the bank | 2026-12-01 | Alice Smith']],
  ['- [ ] Order cake – Sam Fox', ['Order cake | - | Sam Fox']],
  ['- [ ] Pay the invoice 📅 2026-12-01', ['Pay the invoice | 2026-12-01 | -']],
  ['☐ water the plants', ['Water the plants | - | -']],
  ['- [ ] Don’t deploy on Friday', ['Don’t deploy | 2026-11-27 | -']],
  ['- [x] buy milk', []],
  ['- [X] send the report by Friday', []],
  ['- ~~TODO: send the report~~', []],
  ['- [ ] ~~send the report~~', []],
  ['✅ TODO: send the report', []],
  ['TODO: send the report (done)', []],
  ['> I’ll send the report by Friday.', []],
  ['```\n- [ ] code\n// TODO: fix\n```', []],
  ['- buy milk', []],
  ['Alice: send the report by Friday', ['Send the report | 2026-11-27 | Alice Smith']],
  ['Alice: I’ll send the report by Friday', ['Send the report | 2026-11-27 | Alice Smith']],
  ['Decision: the report is sent by Friday', []],
  ['I’ll send the report by Friday', ['Send the report | 2026-11-27 | -']],
  ['- Chen to compare the three offers (by 2026-12-01)', ['Compare the three offers | 2026-12-01 | Chen Wei']],
  [
    '## Next steps\n- Alice: send the contract\n- [x] Chen: export the blog\n- Ask legal – José\n- nothing\n\n## Ideas\n- a podcast',
    ['Send the contract | - | Alice Smith', 'Ask legal | - | José García'],
  ],
  [
    'Action items:\n1. Bob – book the room by Monday\n2. Lunch?\n\nThat was all.\n- a podcast',
    ['Book the room | 2026-11-23 | Bob Jones'],
  ],
  [
    '**Nächste Schritte**\n\n- Angebot einholen\n- Alice: Vertrag prüfen',
    ['Angebot einholen | - | -', 'Vertrag prüfen | - | Alice Smith'],
  ],
  ['Next steps\nAlice: send the deck\nWe had a good time.\n- tea', ['Send the deck | - | Alice Smith']],
  ['## 下一步\n- 发邮件给客户', ['发邮件给客户 | - | -']],
  [
    'Remaining work was discussed at length, and in the end we agreed that Alice\nwill not do it. Instead, and this is now final and signed off by everybody,\nChen will send the contract by Friday.',
    ['Send the contract | 2026-11-27 | Chen Wei'],
  ],
];

test('open tasks and lists under “Next steps” of a note are todos; what is checked, struck, quoted or code is not', async () => {
  for (const [text, expected] of written) {
    assert.equal(brief(await todosOf({ type: 'note', text })), expected, text);
    assert.equal(brief(await todosOf({ notes: text })), expected, `as notes: ${text}`);
  }
});

const talk = `Dana: Morning! How was the weekend?
Leo: Good, thanks. We went hiking. I'll show you the pictures later.
Dana: Lovely. Okay, shall we start? I'll share my screen, one second.
Priya: I have to leave at half past, I'll be picking up my kid.
Dana: No problem, we'll be quick. So, support tickets. We had 340 tickets last week, up from 290. Most of them are about the new invoice layout.
Leo: Yeah, people can't find the VAT number. That is going to get worse by January when the annual invoices go out.
Priya: We could move the VAT number to the top.
Leo: I'll take a look at the template this afternoon. Shouldn't be hard. I will open a pull request by tomorrow evening.
Dana: Great. And we need to tell the customers. Priya, could you write something for the newsletter?
Priya: Sure, I'll write a short paragraph for the newsletter and send it to you by Thursday.
Dana: Perfect. I will proofread it on Friday.
Leo: By the way, the staging server will be down on Wednesday.
Dana: Thanks. The bank will call us on Monday. I'll let you both know what they say.
Priya: The auditors are going to visit us in March. They will want to see all contracts.
Dana: Right, I need to collect the contracts by the end of February. I should ask Tom.
Leo: Tom will help you, I'm sure. He said he will have time next week.
Dana: I'll ask him to scan the old ones.
Priya: We will have to hire someone for support by summer. I'm going to draft a job description next week.
Leo: We'll see. If the tickets go down we won't need anyone.
Dana: We agreed to decide on that in December, not now.
Leo: OK. I'm going to grab a coffee. I'll be back in five.
Dana: Then we'll continue with the roadmap tomorrow. I'll send out an invite.
Priya: I will not be there tomorrow, but Leo will represent me.
Dana: Fine. Leo, you will present the numbers then?
Leo: I will. I'll put the slides in the shared folder by noon.
Dana: Thanks all. To be honest, I'll miss this team when I move to sales next month.`;

test('of a whole talk the undertakings are found, and nothing else', async () => {
  const people = ['Dana Fox', 'Leo Berg', 'Priya Rao', 'Tom Hall'];
  const todos = await todosOf({ text: talk.replaceAll('\n', '\n\n'), people, date: '2026-11-24' });
  assert.equal(brief(todos), [
    'Take a look at the template | 2026-11-24 | Leo Berg',
    'Open a pull request | 2026-11-25 | Leo Berg',
    'Write a short paragraph for the newsletter and send it to you | 2026-11-26 | Priya Rao',
    'Proofread it | 2026-11-27 | Dana Fox',
    'Collect the contracts | 2027-02-28 | Dana Fox',
    'Draft a job description | 2026-12-06 | Priya Rao',
    'Send out an invite | - | Dana Fox',
    'Put the slides in the shared folder | 2026-11-24 | Leo Berg',
  ]);
});

test('the sentence stands in the content with who said it; a task that says no more has none', async () => {
  const text =
    'Bob: Fine. So I’ll **really** send the “final” report by Monday, because finance waits.\n\nAlice: Good.';
  assert.equal(await todosOf({ text }), [
    {
      title: 'Send the “final” report',
      content: 'Bob: “So I’ll really send the ‘final’ report by Monday, because finance waits.”',
      dueDate: '2026-11-23',
      assignee: 'Bob Jones',
    },
  ]);
  assert.equal(await todosOf({ type: 'note', text: '- [ ] Buy milk' }), [
    { title: 'Buy milk', content: null, dueDate: null, assignee: null },
  ]);
});

test('an action that is named twice is one todo; the notes win over what was said, the later over the earlier', async () => {
  const text = `Alice Smith: Bob will send the report by Friday.

Bob Jones: Yes, I'll send the report by Monday.

Alice Smith: And I'll send the report to finance by Tuesday. Chen will send the report by Friday.`;
  assert.equal(brief(await todosOf({ text })), [
    'Send the report | 2026-11-23 | Bob Jones',
    'Send the report to finance | 2026-11-24 | Alice Smith',
    'Send the report | 2026-11-27 | Chen Wei',
  ]);
  const notes = '- [ ] Bob: send the report by 2026-12-01';
  assert.is(brief(await todosOf({ text, notes }))[0], 'Send the report | 2026-12-01 | Bob Jones');
});

test('a todo is nobody’s where the name is not clearly one of the people', async () => {
  const text =
    'Speaker 1: I’ll send the report by Monday.\n\nPriya: I’ll book the room by Monday.\n\nPriya: Speaker 2 will call us.';
  assert.equal(brief(await todosOf({ text })), ['Send the report | 2026-11-23 | -', 'Book the room | 2026-11-23 | -']);
  const twins = { text: 'Ann: I’ll send the report by Monday.\n\nAnn: Bye.', people: ['Ann', 'Ann'] };
  assert.equal(brief(await todosOf(twins)), ['Send the report | 2026-11-23 | -']);
  const [todo] = await todosOf({
    text: 'Ada: I’ll send the report by Monday.\n\nAda: Bye.',
    people: ['Ada', 'Adam Ant'],
  });
  assert.is(todo?.assignee, 'Ada');
});

test('a name before the only line of a transcript is its speaker’s', async () => {
  const text = 'Ada: I will send the contract to Grace by Friday.';
  assert.equal(brief(await todosOf({ text })), ['Send the contract to Grace | 2026-11-27 | -']);
  const mine = { text, people: ['Ada Lovelace'] };
  assert.equal(brief(await todosOf(mine)), ['Send the contract to Grace | 2026-11-27 | Ada Lovelace']);
  assert.equal(await todosOf({ text: 'what we said: I will send the contract to Grace by Friday.' }), []);
});

test('there are at most 20 todos: those that were written down go first, in the order of the text', async () => {
  const promises = Array.from({ length: 30 }, (_, n) => `Bob: I’ll fix bug number${n} by Monday.`).join('\n\n');
  const tasks = Array.from({ length: 15 }, (_, n) => `Bob: TODO: check door number${n}`).join('\n\n');
  const titles = (await todosOf({ text: `${promises}\n\n${tasks}` })).map(({ title }) => title);
  assert.is(titles.length, 20);
  assert.equal(titles.slice(0, 6), [
    'Fix bug number0',
    'Fix bug number1',
    'Fix bug number2',
    'Fix bug number3',
    'Fix bug number4',
    'Check door number0',
  ]);
  const long = await todosOf({ type: 'note', text: `- [ ] ${'very '.repeat(110)}long` });
  assert.match(long[0]?.title ?? '', /^Very (?:very )+very…$/);
  assert.ok((long[0]?.title.length ?? 0) <= 200);
  assert.match(long[0]?.content ?? '', 'very long”');
});

test.run();
