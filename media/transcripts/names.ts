/** Words before a colon that are not names, in lower case: words of headings, remarks and sentences. */
const words = `
a about according actually after again agenda agreed all also although am an and another answer any apologies are as
ask at attendees attention background basically be because before below beware blockers bonus both bottom break bug but
by can caution caveat chapter check clearly closing comment comments conclusion conclusions consequently context
correction could danger date dates deadline dear decision decisions definition deliverables details did disclaimer
discussion do does done due duration each eg email end episode error etc even every everyone example examples exactly
except exercise fact facts faq feedback finally first five follow following for four from fun fyi get give given goal
goals good got guess had has have he heading hello help her here hey hi highlights hint his how however i idea ideas ie
if imagine important in including info information instead intro introduction is issue issues it item items its just key
keywords language last later lesson let list listen location long look main maybe me meaning meantime meeting meetings
method minutes more most music my namely never new next no not note notes nothing notice now number objective of oh ok
okay on one only opening option or order other our out outcome outline over overview owner page part participants people
perhaps picture plan please plus point points possibly present price priority pro problem problems ps purpose question
questions quick quote ready really reason reasons recap recommendation recorded recording reference references regarding
remark remember reminder result results right risk risks rule scene second section see set seven she short should side
similarly simply since six slide so solution some something sometimes sorry source sources speakers status step steps
still stop story subject subtitles such suggestion summary sure takeaway takeaways task tasks ten test text than thank
thanks that the their them then there therefore these they thing things think third this those thought three thus time
timeline tip tips title tl tldr to today todo todos together tomorrow topic topics total transcript translation true two
under unit unless until up update updates url us version very video wait warning was watch we welcome well were what when
where whether which while who whose why will wish with without words would yeah yes yesterday yet you your zero budget
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october
november december achtung antwort aufgabe beispiel datum ergebnis fazit frage fragen hinweis lösung notiz nächste schritte
thema titel warnung wichtig zusammenfassung ziel und oder aber also nein ja das die der ist attention exemple question
réponse remarque résumé sujet objectif problème conclusion et mais donc alors oui non le la les ejemplo nota pregunta
respuesta resumen tema objetivo conclusión importante pero sí exemplo resposta resumo esempio domanda risposta`;
const ordinary = new Set(words.split(/\s+/));

/** Such words that are English names too, and those that open sentences and are East Asian names. */
const namesToo = new Set('april august good june long march may page price right short will'.split(' '));
const openersToo = new Set('an he in me my no so to you'.split(' '));

const particles = new Set(
  'al ap av ben bin da dal de del della den der di do dos du e el ibn la le of op st ten ter van vom von y zu zum zur'.split(
    ' ',
  ),
);
const capitalised = /^[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}'’.·‐-]*$/u;
const numbered =
  /^(?:(?:unknown|unidentified) )?(?:attendee|caller|guest|host|hablante|interviewee|interviewer|intervenant|locuteur|moderator|narrator|orador|panelist|participant|person|speaker|sprecher|sprecherin|user)(?:[ _#-]{0,2}(?:\d{1,3}|[a-z]))?$/iu;

/**
 * How far a text has the shape of a speaker's name. `full`: two words and more, or a role such as “Speaker 2”;
 * `single`: one capitalised word; `doubtful`: one that is a common word too, and any short text in a script without
 * capitals; `odd`: short and no sentence, as the names that people give themselves. Undefined: not a name.
 */
export type NameShape = 'full' | 'single' | 'doubtful' | 'odd';

function isOrdinary(word: string, among: number): boolean {
  const plain = word.toLowerCase().replace(/[.,]$/, '');
  const isNameToo = namesToo.has(plain) || (among > 1 && (openersToo.has(plain) || particles.has(plain)));
  return ordinary.has(plain) && !isNameToo;
}

/** The shape of a text of at most 60 characters on one line. */
export function nameShape(text: string): NameShape | undefined {
  const name = text.replace(/ ?\([^()\d]{1,40}\)$/, '');
  if (name.length < 2 || text.length > 60) return undefined;
  if (numbered.test(name)) return 'full';
  const parts = name.split(' ');
  if (parts.length > 6 || parts.some((word) => isOrdinary(word, parts.length))) return undefined;
  const last = parts.at(-1) as string;
  if (capitalised.test(last) && parts.every((word) => capitalised.test(word) || particles.has(word))) {
    const lower = name.toLowerCase();
    if (openersToo.has(lower.split(' ', 1)[0] ?? '') || ordinary.has(lower) || lower === name.toUpperCase())
      return 'doubtful';
    return parts.length > 1 ? 'full' : 'single';
  }
  return /^[\p{L}@(]/u.test(name) && !/[!?:;"“”…]|\. /.test(name) ? 'odd' : undefined;
}

/** A line that begins with what may be a speaker's label: `name` as shown, `rest` the text after the colon. */
export interface Label {
  name: string;
  rest: string;
}

const opening = /^(?:>>+ ?|[-–—•] )?(?:\*\*|__)?/;
/**
 * Labels without a colon are accepted from programs that distinguish speakers, never from people: `[SPEAKER_00] text`.
 */
const bracketed = /^\[([^[\]]{1,40})\] ?(?!:)/;

/**
 * The label before a colon at the start of a line, as in `Alice: text`, `>> ALICE: text`, `[Alice]: text` or
 * `**Alice:** text`, whether it names a speaker or not: `nameShape` rates that. White space in the line is
 * single spaces.
 */
export function labelOf(line: string): Label | undefined {
  const head = line.slice(0, 80);
  const colon = head.search(/[:：]/);
  if (head.startsWith('[')) {
    const [whole, name = ''] = bracketed.exec(head) ?? [];
    if (whole !== undefined && numbered.test(name)) return { name, rest: line.slice(whole.length) };
  }
  if (colon < 1) return undefined;
  const start = opening.exec(head)?.[0].length ?? 0;
  const rest = line.slice(colon + 1).replace(/^(?:\*\*|__)/, '');
  if (head.charAt(colon) === ':' && rest !== '' && !rest.startsWith(' ')) return undefined;
  const marked = head.slice(start, colon);
  const name = /[*_\])]$/.test(marked) ? marked.replace(/(?:\*\*|__)$/, '').replace(/^[[(](.*)[\])]$/, '$1') : marked;
  return { name: name.trim(), rest: rest.trimStart() };
}
