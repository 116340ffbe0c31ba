import { labelOf, type NameShape, nameShape } from './names.ts';

/** How a transcript names its speakers at the start of lines. */
export interface Labelling {
  /** The labels that are speakers. */
  known: ReadonlySet<string>;
  /** Labels that may be speakers and are not taken for any: what follows one is not the speaker's before it. */
  unsure: ReadonlySet<string>;
  /** Whether labels mark changes of the speaker alone: a line without one continues the speaker before it. */
  onChange: boolean;
}

/** Cues or paragraphs, each with its lines. */
type Units = readonly (readonly string[])[];

const isSound = (line: string) => /^[[(♪]/.test(line) && /[\])♪]$/.test(line.slice(-1));

class Evidence {
  /** The labels that may be names, by name. */
  readonly labels = new Map<string, { shape: NameShape | undefined; times: number }>();
  /** The names of likely shape, in order. */
  readonly likely: string[] = [];
  /** Of the units: how many there are, begin with a label of likely shape, and with one of any shape. */
  units = 0;
  begun = 0;
  begunAnyhow = 0;
  lines = 0;
  firstIsLabelled = false;

  constructor(units: Units) {
    for (const lines of units) {
      const first = this.#read(lines[0] ?? '');
      for (let at = 1; at < lines.length; at += 1) this.#read(lines[at] as string);
      this.lines += lines.length;
      if (lines.every(isSound)) continue;
      const isLikely = first !== undefined && first !== 'odd';
      if (this.units === 0) this.firstIsLabelled = isLikely;
      this.units += 1;
      if (isLikely) this.begun += 1;
      if (first !== undefined) this.begunAnyhow += 1;
    }
  }

  #read(line: string): NameShape | undefined {
    const name = labelOf(line)?.name;
    if (name === undefined) return undefined;
    const label = this.labels.get(name) ?? { shape: nameShape(name), times: 0 };
    if (label.times === 0) this.labels.set(name, label);
    label.times += 1;
    if (label.shape !== undefined && label.shape !== 'odd') this.likely.push(name);
    return label.shape;
  }

  comesAgain(name: string): boolean {
    return (this.labels.get(name)?.times ?? 0) > 1;
  }
}

/**
 * Which labels of a transcript are speakers. A colon alone proves nothing, so the whole file is asked; a wrong speaker
 * is worse than none.
 * - Five labels or more of which none comes again are headings or a list.
 * - Where half of the cues or lines are labelled, every likely label is one.
 * - Where few are, as in files that label a change of speaker, the first cue must be labelled (in plain text, one of
 *   ten paragraphs), and the label come again or be a full name.
 * - Doubtful ones, such as any in a script without capitals, must come again, or another where half are labelled.
 * - Odd names, such as `alice` or `Smith, John`, must come again where nine of ten cues are labelled.
 */
export function labellingOf(units: Units, kind: 'cues' | 'text'): Labelling {
  const seen = new Evidence(units);
  const again = seen.likely.some((name) => seen.comesAgain(name));
  const isConversation = seen.likely.length < 5 || again;
  const isDense = seen.begun * 2 >= seen.units || seen.likely.length * 2 >= seen.lines;
  const isSparse = kind === 'cues' ? seen.firstIsLabelled : seen.likely.length * 10 >= seen.units && again;
  const takesOdd =
    seen.units >= 4 && seen.begunAnyhow * 10 >= seen.units * 9 && seen.labels.size * 2 <= seen.begunAnyhow;
  const known = new Set<string>();
  const unsure = new Set<string>();
  const doubtfulAgain = seen.likely.some(
    (name) => seen.comesAgain(name) && seen.labels.get(name)?.shape === 'doubtful',
  );
  for (const [name, { shape, times }] of seen.labels) {
    const comesAgain = times > 1;
    const isKnown = {
      full: isConversation && (isDense || isSparse),
      single: isConversation && (isDense || (isSparse && comesAgain)),
      doubtful: isConversation && ((isDense && doubtfulAgain) || (isSparse && comesAgain)),
      odd: takesOdd && comesAgain,
    };
    if (shape !== undefined) (isKnown[shape] ? known : unsure).add(name);
  }
  return { known, unsure, onChange: seen.firstIsLabelled && changes(seen.likely, known) };
}

/** Whether no name follows itself; those in capitals alone name who is out of sight in a film, and prove nothing. */
function changes(labels: readonly string[], known: ReadonlySet<string>): boolean {
  const names = labels.filter((name) => known.has(name));
  const shouted = names.every((name) => name === name.toUpperCase());
  return names.length > 1 && !shouted && names.every((name, index) => name !== names[index - 1]);
}

/** The lines of one speaker in a unit. `speaker` is null above its first label; undefined: an unknown other speaker. */
export interface Turn {
  speaker: string | null | undefined;
  lines: string[];
}

/** The lines of a unit, parted at the labels that are or may be speakers. A label with nothing after it stays text. */
export function turnsIn(lines: readonly string[], { known, unsure }: Labelling): Turn[] {
  if (known.size === 0) return [{ speaker: null, lines: [...lines] }];
  const labels = lines.map((line) => {
    const label = labelOf(line);
    return label && (known.has(label.name) || unsure.has(label.name)) ? label : undefined;
  });
  const turns: Turn[] = [];
  for (const [at, label] of labels.entries()) {
    const line = lines[at] as string;
    const hasText = label && (label.rest !== '' || (at + 1 < lines.length && !labels[at + 1]));
    if (hasText && known.has(label.name))
      turns.push({ speaker: label.name, lines: label.rest === '' ? [] : [label.rest] });
    else if (hasText) turns.push({ speaker: undefined, lines: [line] });
    else if (turns.length > 0) turns.at(-1)?.lines.push(line);
    else turns.push({ speaker: null, lines: [line] });
  }
  return turns;
}

/** The current speaker, from turn to turn: where labels mark changes alone, a turn without one has the same speaker. */
export class Floor {
  readonly #onChange: boolean;
  #holder: string | null = null;

  constructor({ onChange }: Labelling) {
    this.#onChange = onChange;
  }

  speakerOf({ speaker, lines }: Turn): string | null {
    if (speaker === null && (!this.#onChange || lines.every(isSound))) return null;
    if (speaker !== null) this.#holder = speaker ?? null;
    return this.#holder;
  }
}
