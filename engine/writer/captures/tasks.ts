import { type Action, commitmentsIn, type SentenceContext } from './commitments.ts';
import { type Due, dueIn, withoutDue } from './due.ts';
import { actionLabel, bareTodo } from './labels.ts';
import type { Named } from './people.ts';
import { titleOfTask } from './titles.ts';
import { work } from './verbs.ts';

const isNothing = /^(?:none|nothing|n\/?a|tbd|tba|no\b.{0,20}|keine?|aucune?|ninguna?|nessuna?|[-–—…. ]+)[.!]?$/i;
const isDone = /(?:^|[\s([])(?:done|erledigt|fait|hecho|fatto)[)\]!.]*$|^(?:done|erledigt)\s*[:–-]|[✅☑✔]/iu;

/** Someone in front of what is theirs: “Ada: send …”, “@ada send …”, “[Ada] send …”, “Ada – send …”. */
const ownerInFront =
  /^(?:@(?<handle>[\p{L}\p{N}._-]{1,60}?)[:,]?\s+|\[(?<box>[^\]]{1,60})\]\s*|(?<name>\p{L}[^:：,–—()]{0,58}?)(?:\s*[:：]\s*|,\s+|\s+[–—-]\s+))(?=\S)/u;
const subject =
  /^(?<name>\p{Lu}\p{L}*(?:[ '’.-]{1,2}\p{L}+){0,3}?)\s+(?:to|will|shall|should|must|needs to|has to|is going to|is to|please|bitte)\s+(?<rest>\p{Ll}.*)$/su;
const thirdPerson = /^(?<name>\p{Lu}\p{L}*(?:[ '’.-]{1,2}\p{L}+){0,3}?)\s+(?<verb>[a-z]{2,15}s)\s+(?<rest>\S.*)$/su;
const atEnd = /\s*(?:[([](?<box>[^()[\]]{1,80})[)\]]|(?:\s[–—-]|->|=>|→)\s*(?<name>[^–—→>]{1,60}))\s*\.?$/u;

interface Draft {
  text: string;
  due: Due | undefined;
  dueDate: string | null;
  owners: Named[];
}

/** The form of a verb that orders, of “sends”, “fixes” and “tries”; undefined when it is no work. */
function imperative(verb: string): string | undefined {
  return [verb.slice(0, -1), verb.slice(0, -2), `${verb.slice(0, -3)}y`].find((each) => work.has(each));
}

function named(words: string, { names }: SentenceContext): Named | undefined {
  const found = words.trim().replace(/^(?:owner|assignee|assigned to|who|responsible|resp\.?)\s*[:=]?\s*/i, '');
  return found.startsWith('@') ? names.handle(found.slice(1)) : names.find(found);
}

/** Takes “(Ada, by Friday)” or “– Ada” off the end, when all of it is understood. */
function takeEnd(draft: Draft, context: SentenceContext): boolean {
  const match = atEnd.exec(draft.text);
  const words = match?.groups?.box ?? match?.groups?.name;
  if (!match || words === undefined) return false;
  const found = words.split(/\s*[,;/]\s*|\s+(?:and|&)\s+/).map((part) => {
    const who = named(part, context);
    const bare = `due ${part.trim().replace(/^due:?\s+/i, '')}`;
    const due = who ? undefined : dueIn(bare, context.date);
    const isDue = due !== undefined && due.from === 0 && due.to === bare.length;
    return { who, date: isDue ? due.date : undefined };
  });
  if (found.some(({ who, date }) => who === undefined && date === undefined)) return false;
  draft.text = draft.text.slice(0, match.index);
  for (const { who, date } of found) {
    if (who) draft.owners.push(who);
    draft.dueDate ??= date ?? null;
  }
  return true;
}

function takeFront(draft: Draft, context: SentenceContext): void {
  const front = ownerInFront.exec(draft.text);
  const { handle, box, name } = front?.groups ?? {};
  const who = handle === undefined ? named(box ?? name ?? '', context) : context.names.handle(handle);
  if (front && who) {
    draft.owners.push(who);
    draft.text = draft.text.slice(front[0].length).replace(/^(?:to|please)\s+(?=\p{Ll})/u, '');
    return;
  }
  const found = subject.exec(draft.text)?.groups;
  const doer = found && named(found.name ?? '', context);
  if (found && doer) {
    draft.owners.push(doer);
    draft.text = found.rest ?? '';
    return;
  }
  const does = thirdPerson.exec(draft.text)?.groups;
  const verb = does && imperative(does.verb ?? '');
  const who3 = does && named(does.name ?? '', context);
  if (!verb || !who3) return;
  draft.owners.push(who3);
  draft.text = `${verb} ${does.rest}`;
}

/** Takes `@ada` out where it stands at an end; within the text it stays. */
function takeMentions(draft: Draft, context: SentenceContext): void {
  for (const [, handle = ''] of draft.text.matchAll(/(?<![\p{L}\p{N}])@([\p{L}\p{N}._-]{1,60})/gu)) {
    const who = context.names.handle(handle.replace(/[._-]+$/, ''));
    if (who) draft.owners.push(who);
  }
  const last = /\s+@([\p{L}\p{N}._-]{1,60})\s*$/u.exec(draft.text);
  if (last && context.names.handle((last[1] ?? '').replace(/[._-]+$/, '')))
    draft.text = draft.text.slice(0, last.index);
}

/** The action of a text that was written down as a task; undefined when there is nothing to do. */
export function taskOf(text: string, context: SentenceContext): Action | undefined {
  const label = actionLabel.exec(text)?.groups ?? bareTodo.exec(text)?.groups;
  const draft: Draft = { text: (label?.rest ?? text).trim(), due: undefined, dueDate: null, owners: [] };
  if (isNothing.test(draft.text) || isDone.test(draft.text) || /[?？]$/.test(draft.text)) return undefined;
  const owner = label?.name ?? label?.handle;
  const who = owner === undefined ? undefined : (named(owner, context) ?? context.names.handle(owner));
  if (who) draft.owners.push(who);
  const [promised] = /^(?:I|we)\b/i.test(draft.text) ? commitmentsIn(draft.text, context) : [];
  if (promised) return promised;
  for (let left = 3; left > 0 && takeEnd(draft, context); ) left--;
  takeFront(draft, context);
  takeMentions(draft, context);
  const due = draft.dueDate === null ? dueIn(draft.text, context.date) : undefined;
  const title = titleOfTask(due ? withoutDue(draft.text, due) : draft.text);
  if (!/[\p{L}\p{N}]/u.test(title)) return undefined;
  const people = new Set(draft.owners.map(({ person }) => person));
  const [only = null] = people;
  return { title, dueDate: draft.dueDate ?? due?.date ?? null, assignee: people.size === 1 ? only : null };
}

const orders = /^(?:please\s+)?(?<verb>[a-z][a-z-]*)\b/i;

/** Whether a text orders work: “send …”, “please call …”. */
export function isOrder(text: string): boolean {
  return work.has((orders.exec(text)?.groups?.verb ?? '').toLowerCase());
}

const reminder = /^(?:please\s+)?(?:remember|do\s?n[o'’]t forget|make sure|be sure)\s+to\s+(?<rest>\p{L}.*)$/isu;
const mention =
  /^(?:(?:hi|hey|hello)\s+)?@(?<handle>[\p{L}\p{N}._-]{1,60}?)[,:]?\s+(?<rest>(?:please\s+|to\s+)?\p{L}.*)$/su;
const requested = /^(?<name>\p{Lu}[^,:：]{0,58}),\s+please\s+(?<rest>\p{L}.*)$/su;

/** Tasks that one sentence names: behind a label, to somebody mentioned, as a reminder or a promise. */
export function tasksIn(sentence: string, context: SentenceContext): Action[] {
  if (/[?？]["”’')\s]*$/.test(sentence)) return [];
  const one = (action: Action | undefined) => (action ? [action] : []);
  const label = actionLabel.exec(sentence)?.groups ?? bareTodo.exec(sentence)?.groups;
  if (label) {
    const parts = (label.rest ?? '').split(/\s*;\s*/).filter((part) => part !== '');
    if (parts.length > 1) return parts.flatMap((part) => one(taskOf(part, context)));
    return one(taskOf(sentence, context));
  }
  const rest = reminder.exec(sentence)?.groups?.rest;
  if (rest !== undefined) return isOrder(rest) ? one(taskOf(rest, { ...context, speaker: null })) : [];
  const mentioned = mention.exec(sentence)?.groups;
  if (mentioned) {
    const order = (mentioned.rest ?? '').replace(/^to\s+/, '');
    return isOrder(order) && context.names.handle(mentioned.handle ?? '')
      ? one(taskOf(sentence.replace(/^(?:hi|hey|hello)\s+/i, ''), context))
      : [];
  }
  const request = requested.exec(sentence)?.groups;
  const who = request && context.names.find(request.name ?? '');
  if (request && who && isOrder(request.rest ?? '') && dueIn(request.rest ?? '', context.date)) {
    const action = taskOf(request.rest ?? '', context);
    return action ? [{ ...action, assignee: who.person }] : [];
  }
  return commitmentsIn(sentence, context);
}
