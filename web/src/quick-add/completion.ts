import type { Assignable, Named } from './parse.ts';

/* What `!`, `#`, `*`, `@` and `/` offer while a line is typed. */

/** An offer: what is shown, and what replaces the text from `start` to the caret. */
export interface Offer {
  id: string;
  label: string;
  note: string;
  start: number;
  insert: string;
  /** The name of a label that choosing it creates. It is never the first choice: Enter sends the line. */
  creates?: string;
}

const maxOffers = 8;
const priorities = ['urgent', 'high', 'medium', 'low'];
const typed = /(?<=^|[\s(])([!#@/*])([^!#@/*"“«`]{0,40})$/u;

interface Choice {
  id: string;
  name: string;
  note: string;
}

/** The names that lines are read with. */
export interface Names {
  lists: readonly Named[];
  people: readonly Assignable[];
  labels: readonly Named[];
}

function choicesOf(sign: string, { lists, people, labels }: Names): Choice[] {
  if (sign === '!') return priorities.map((name) => ({ id: name, name, note: 'Priority' }));
  if (sign === '#') return lists.map(({ id, name }) => ({ id, name, note: 'List' }));
  if (sign === '*') return labels.map(({ id, name }) => ({ id, name, note: 'Label' }));
  if (sign === '@')
    return people.map(({ id, name, type }) => ({ id, name, note: type === 'agent' ? 'Agent' : 'Person' }));
  return [{ id: 'run', name: 'run', note: 'Starts the assigned agent' }];
}

/** The offers for the text before the caret; empty where none is asked for, or it is already complete. */
export function offersAt(text: string, caret: number, names: Names): readonly Offer[] {
  const match = typed.exec(text.slice(0, caret));
  if (!match) return [];
  const [, sign = '', part = ''] = match;
  const wanted = part.toLowerCase();
  const fits = ({ name }: Choice) => {
    const known = name.toLowerCase();
    return known !== wanted && (known.startsWith(wanted) || known.includes(` ${wanted}`));
  };
  const found = choicesOf(sign, names).filter(fits).slice(0, maxOffers);
  const isNew = sign === '*' && /^\S+$/u.test(part) && !names.labels.some(({ name }) => name.toLowerCase() === wanted);
  const creation = { id: 'create', label: `Create label “${part}”`, note: 'New', creates: part };
  const offers: Offer[] = found.map(({ id, name, note }) => ({
    id,
    label: `${sign}${name}`,
    note,
    start: match.index,
    insert: `${sign}${name} `,
  }));
  return isNew ? [...offers, { ...creation, start: match.index, insert: `*${part} ` }] : offers;
}
