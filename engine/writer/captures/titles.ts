import { firstClause, shortened } from './plain-text.ts';
import { captureLimits } from './shapes.ts';

/** Characters of a title that is made of a sentence, and of one that somebody wrote as a task. */
const maxLengths = { made: 100, written: 200 };

const ends = [
  /[\s,;:.!…–—-]+$/,
  /[\s,]+(?:then|too|as well|okay|ok|of course|for sure|at the latest|latest|please|thanks|thank you|i promise|for you|for us|though|right)$/i,
];

function trimmed(text: string): string {
  let rest = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\(\s*\)|\[\s*\]/g, '')
    .replaceAll(/\s+([,.;])/g, '$1')
    .trim();
  for (let again = true; again; ) {
    again = false;
    for (const end of ends) {
      const shorter = rest.replace(end, '');
      if (shorter === rest) continue;
      rest = shorter;
      again = true;
    }
  }
  return rest.replace(/^[\s,;:.–—-]+/, '');
}

function capitalised(text: string): string {
  return text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}

/** What comes behind the action: reasons and conditions. */
const aside =
  /,?\s+(?:because|since|so that|so we|so you|so they|as soon as|once|when|whenever|while|although|though|but|which|if that|and then)\s.*$/i;
const asks =
  /^(?:ask|check|find|see|confirm|clarify|decide|document|explain|tell|verify|look|test|know|investigate)\b/i;

/** The title of a todo out of the words of an action, beginning with the verb. */
export function titleOfAction(action: string): string {
  const clause = asks.test(action) ? action : action.replace(aside, '');
  const phrase = clause.trim().split(/\s+/).length >= 3 ? clause : action;
  const gift =
    /^(send|give|show|email|forward|write|get|bring|text)\s+(?:you(?: all| guys| both)?|everyone|everybody|y'all)\s+(?=\S+\s+\S|(?!back)\p{L}+s\b)(?!by\b|about\b|on\b)/iu;
  return capitalised(firstClause(trimmed(phrase.replace(gift, '$1 ')), maxLengths.made));
}

/** The title of a todo that somebody wrote down as one. */
export function titleOfTask(task: string): string {
  const title = capitalised(trimmed(task));
  return shortened(title, Math.min(maxLengths.written, captureLimits.todoTitle));
}
