import { mock } from 'node:test';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CaptureDigest, CaptureMaterial } from '../../engine/writer/captures/shapes.ts';
import { offlineWriter } from '../../engine/writer/offline.ts';
import { checkDigest, ofHalfAMillion } from '../support/digest-laws.ts';

const test = suite('built-in writing about captures');

const { signal } = new AbortController();

const base: CaptureMaterial = {
  type: 'recording',
  title: null,
  text: null,
  notes: null,
  date: '2026-11-20',
  people: ['Alice Smith', 'Bob Jones', 'Chen Wei'],
};

const write = (material: Partial<CaptureMaterial>) => offlineWriter.capture({ ...base, ...material }, { signal });

const meeting = `Alice Smith: Hi everyone, thanks for joining. Can you hear me?

Bob Jones: Yes, loud and clear.

Alice Smith: Great. Welcome to the pricing review for the spring launch. Today we need to settle the price of the team plan and look at churn.

Bob Jones: The numbers from October show that churn in the team plan rose to 4.2 percent. Most people who left told us that the price per seat was too high.

Chen Wei: I looked at three competitors. All of them charge between eight and ten euros per seat, and we charge twelve.

Alice Smith: So what would happen if we went down to ten?

Bob Jones: We would lose about six percent of revenue at first, but churn might halve. I could model that.

Alice Smith: Okay, so we decided to lower the team plan to ten euros per seat from January. Everyone fine with that?

Chen Wei: Yes, agreed.

Bob Jones: Then I'll send the revenue model to finance by Monday.

Alice Smith: Perfect. Chen will update the pricing page by December 10, and I'm going to call the two biggest customers tomorrow.

Chen Wei: I won't manage the checkout before the holidays. We would need another developer for that.`;

test('a meeting gets a title, who spoke about what, its telling sentences with decisions, and its action items', async () => {
  assert.equal(await write({ text: meeting }), {
    title: 'Pricing review for the spring launch',
    subtitle: 'Alice Smith, Bob Jones and Chen Wei · team plan, churn, seat · 182 words',
    summary: `Key points, quoted:

- Alice Smith: “Today we need to settle the price of the team plan and look at churn.”
- Bob Jones: “The numbers from October show that churn in the team plan rose to 4.2 percent.”
- Bob Jones: “Most people who left told us that the price per seat was too high.”
- Alice Smith: “Okay, so we decided to lower the team plan to ten euros per seat from January.”`,
    todos: [
      {
        title: 'Send the revenue model to finance',
        content: "Bob Jones: “Then I'll send the revenue model to finance by Monday.”",
        dueDate: '2026-11-23',
        assignee: 'Bob Jones',
      },
      {
        title: 'Update the pricing page',
        content:
          "Alice Smith: “Chen will update the pricing page by December 10, and I'm going to call the two biggest customers tomorrow.”",
        dueDate: '2026-12-10',
        assignee: 'Chen Wei',
      },
      {
        title: 'Call the two biggest customers',
        content:
          "Alice Smith: “Chen will update the pricing page by December 10, and I'm going to call the two biggest customers tomorrow.”",
        dueDate: '2026-11-21',
        assignee: 'Alice Smith',
      },
    ],
  });
});

test('a short text is its own summary, and a note is called by its first line', async () => {
  const text = '# Garden\n\nPlant the **tomatoes** next to the wall.\n- [ ] Buy soil by Friday';
  assert.equal(await write({ type: 'note', text }), {
    title: 'Garden',
    subtitle: '11 words',
    summary: text,
    todos: [{ title: 'Buy soil', content: '“Buy soil by Friday”', dueDate: '2026-11-27', assignee: null }],
  });
  assert.is((await write({ type: 'note', text: `${'word '.repeat(40)}, and more` })).title?.endsWith('…'), true);
  assert.is(
    (await write({ text: 'Idea for the garden. Plant the tomatoes next to the wall.' })).title,
    'Idea for the garden',
  );
});

test('what stands in the notes of a recording comes first, and a correction is never left out', async () => {
  const notes = 'Correction: the launch is on 5 December, not on 3 December.';
  const text = `${meeting}\n\nBob Jones: The launch is on 3 December.`;
  const { summary, title } = await write({ text, notes });
  assert.match(
    summary ?? '',
    /^Key points, quoted:\n\n- Notes: “Correction: the launch is on 5 December, not on 3 December\.”\n/,
  );
  assert.not.match(summary ?? '', 'The launch is on 3 December.”');
  assert.is(title, 'Pricing review for the spring launch');
  assert.is((await write({ text, notes: '## Agenda\n## Pricing\nx' })).title, 'Pricing');
});

test('a recording without transcript is written about from its notes', async () => {
  assert.equal(await write({ notes: 'Talked to the bank. The loan is approved.' }), {
    title: 'Talked to the bank',
    subtitle: '8 words',
    summary: 'Talked to the bank. The loan is approved.',
    todos: [],
  });
});

test('a recording that begins with a task is called by what is to be done', async () => {
  const notes = 'TODO: send the minutes to Grace by Friday\nWe like the blue door.';
  const { title, todos } = await write({ notes });
  assert.is(title, 'Send the minutes to Grace by Friday');
  assert.is(todos.length, 1);
});

test('a title that a person gave stays: none is written', async () => {
  assert.is((await write({ text: meeting, title: 'Prices' })).title, null);
});

test('without any text there is nothing to write about', async () => {
  const nothing: CaptureDigest = { title: null, subtitle: null, summary: null, todos: [] };
  for (const blank of [null, '', ' \n\t ', '---\n***', '\u200b\u00a0'])
    assert.equal(await write({ text: blank, notes: blank }), nothing);
});

/** Texts of other languages: the title, the topics, and a sentence that the summary must quote. */
const languages: Record<string, [text: string, title: string, topics: RegExp, decision: string]> = {
  German: [
    'Anna: Guten Morgen zusammen.\n\nBernd: Der Umsatz der Website stieg um zwölf Prozent, die Kosten der Website blieben gleich. Die neue Website soll im März online gehen, und der Shop folgt im April.\n\nAnna: Wir haben beschlossen, das Budget für die Website um 20.000 Euro zu erhöhen. Die Texte sind fast fertig, nur die Bilder fehlen noch.\n\nBernd: Der Datenschutz wird von einer Kanzlei geprüft, die Prüfung dauert vier Wochen.',
    'Wir haben beschlossen, das Budget für die Website um 20.000 Euro zu erhöhen',
    /Website/,
    '- Anna: “Wir haben beschlossen, das Budget für die Website um 20.000 Euro zu erhöhen.”',
  ],
  French: [
    'Marie: Bonjour à tous.\n\nPaul: Le budget de la conférence est de douze mille euros. La salle coûte quatre mille euros et le repas trois mille.\n\nMarie: Nous avons décidé de prendre la petite salle pour réduire le budget. La grande salle est trop chère.\n\nPaul: Les billets seront en vente à partir de janvier. Le prix des billets reste le même que l’année dernière, soit cinquante euros.',
    'Nous avons décidé de prendre la petite salle pour réduire le budget',
    /salle/,
    '- Marie: “Nous avons décidé de prendre la petite salle pour réduire le budget.”',
  ],
  Japanese: [
    'Tanaka: 今日は新しい製品の価格について話します。\n\nSuzuki: 競合の価格は月額八百円から千円です。私たちの価格は千二百円で、少し高いと思います。\n\nTanaka: 価格を千円に下げることを決定しました。発売は一月です。\n\nSuzuki: 発売までにサイトの価格ページを更新します。顧客にはメールで知らせます。',
    '価格を千円に下げることを決定しました',
    /価格/,
    '- Tanaka: “価格を千円に下げることを決定しました。”',
  ],
  Chinese: [
    '我们今天讨论新产品的价格。竞争对手的价格是每月八十元到一百元。我们的价格是一百二十元，有点高。我们决定把价格降到一百元。产品一月发布。网站的价格页面需要更新。客户会收到邮件。取消率上升到百分之四，价格是主要原因。我们和三个最大的客户谈过，他们愿意继续使用产品。',
    '我们决定把价格降到一百元',
    /价格/,
    '- “我们决定把价格降到一百元。”',
  ],
  Arabic: [
    'قررنا أن نطلق المنتج في يناير. السعر الجديد هو عشرة يورو. المنافسون يطلبون ثمانية يورو. سنرسل رسالة إلى العملاء. صفحة السعر تحتاج إلى تحديث. العملاء يسألون عن السعر كل يوم. المنتج جاهز تقريبا ولكن الاختبارات لم تكتمل بعد. الفريق يعمل على الاختبارات هذا الأسبوع. سنلتقي مرة أخرى يوم الاثنين. هناك مشكلة صغيرة في صفحة الدفع ويجب حلها قبل الإطلاق. شكرا للجميع على العمل الجيد.',
    'قررنا أن نطلق المنتج في يناير',
    /السعر/,
    '- “قررنا أن نطلق المنتج في يناير.”',
  ],
};

test('other languages and scripts are quoted as well, decisions before all', async () => {
  for (const [language, [text, title, topics, decision]] of Object.entries(languages)) {
    const digest = await write({ text, people: [] });
    assert.is(digest.title, title, language);
    assert.match(digest.subtitle ?? '', topics, language);
    assert.ok(digest.summary?.startsWith('Key points, quoted:\n\n- '), language);
    assert.ok(digest.summary?.includes(decision), `${language}: ${digest.summary}`);
    assert.equal(digest.todos, [], language);
  }
});

test('speech without full stops, and speakers without names, are written about too', async () => {
  const text = `Speaker 1: um okay so hello everyone

Speaker 2: hi there

Speaker 1: so uh the main thing today is the migration of the billing database we have been running on the old server for six years and it is getting slow every night the backup takes four hours and last week it failed twice so we really need to move before the end of the year

Speaker 2: right and the new server is already there i tested the import with a copy and it took about fifty minutes the only problem were the invoices from before 2019 because they have another encoding`;
  const { title, subtitle, summary } = await write({ text });
  assert.is(title, 'Migration of the billing database');
  assert.is(subtitle, '2 speakers · server · 96 words');
  assert.match(summary ?? '', /- Speaker 1: “so uh the main thing/);
});

const fragments = [
  "I'll send the report by Friday",
  'we decided to ship',
  'TODO: ',
  '- [ ] ',
  '- [x] ',
  'Alice: ',
  'Bob Jones: ',
  '@bob ',
  '\n',
  '\n\n',
  '## Next steps\n',
  '\n- ',
  '> ',
  '```\n',
  '~~',
  '**',
  '“',
  '”',
  '(Alice, by 2026-12-01)',
  ' by 31 February ',
  '. ',
  '? ',
  '。',
  '…',
  'Dr. ',
  'e.g. ',
  ' will ',
  ' is going to ',
  ' to ',
  'in 3 days',
  'next week',
  'on the 31st',
  '12月31日',
  '價格',
  'السعر',
  '👩‍👩‍👧',
  '\ud800',
  '\0',
  '\u2028',
  '\r',
  '\t',
  '| a | b |',
  'http://a.b/c?d',
  '10:30 ',
  ': ',
  'x',
  '7',
];
const texts = fc.oneof(
  fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fragments) }, fc.string({ unit: 'grapheme' })), {
      maxLength: 60,
    })
    .map((all) => all.join('')),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

test('whatever the material: nothing throws, limits hold, and every quotation stands in the material', async () => {
  const people = fc.array(
    fc.oneof(fc.constantFrom('Alice Smith', 'Bob Jones', 'Will', ''), fc.string({ maxLength: 20 })),
    { maxLength: 4 },
  );
  const materials = fc.record({
    type: fc.constantFrom('note' as const, 'recording' as const),
    title: fc.constantFrom(null, 'Given'),
    text: fc.option(texts),
    notes: fc.option(texts),
    date: fc.constantFrom('2026-11-20', '2028-02-29', '2026-12-31'),
    people,
  });
  await fc.assert(
    fc.asyncProperty(materials, async (material) => {
      const digest = await offlineWriter.capture(material, { signal });
      checkDigest(digest, material);
      assert.equal(await offlineWriter.capture(material, { signal }), digest);
    }),
    { numRuns: 400 },
  );
});

test('while a long text is read, the rest of the process has its turns', async () => {
  let turns = 0;
  const waiting = setInterval(() => turns++, 0);
  const material = { ...base, text: ofHalfAMillion(`${meeting}\n\n`) };
  // Each look at the clock finds that 7 ms have passed, however fast this machine is.
  let now = 0;
  const looks = mock.method(performance, 'now', () => (now += 7));
  const digest = await offlineWriter.capture(material, { signal });
  looks.mock.restore();
  clearInterval(waiting);
  checkDigest(digest, material);
  assert.is(digest.title, 'Pricing review for the spring launch');
  assert.is(digest.todos.length, 3);
  assert.ok(turns >= 20, `${turns} turns`);
});

test('a caller that gives up gets its reason, also in the middle of a long text', async () => {
  const caller = new AbortController();
  const text = `${meeting}\n\n`.repeat(300);
  // Each look at the clock finds that 7 ms have passed: a fast machine would be done before anybody could give up.
  let now = 0;
  const looks = mock.method(performance, 'now', () => (now += 7));
  const pending = offlineWriter.capture({ ...base, text }, { signal: caller.signal }).catch((reason) => reason);
  setImmediate(() => caller.abort('shutting down'));
  const reason = await pending;
  looks.mock.restore();
  assert.is(reason, 'shutting down');
  const again = offlineWriter.capture({ ...base, text: 'x' }, { signal: caller.signal }).catch((reason) => reason);
  assert.is(await again, 'shutting down');
});

test.run();
