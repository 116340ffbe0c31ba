/** What is known of a capture when it is written about. */
export interface CaptureMaterial {
  type: 'note' | 'recording';
  /** What a person called it; then no title is written. */
  title: string | null;
  /** Note text or transcript (`Name: …` paragraphs separated by blank lines where speakers are known). */
  text: string | null;
  /** Typed alongside a recording; corrections of the transcript, which take precedence. */
  notes: string | null;
  /**
   * Calendar date of the recording or note in the workspace's time zone, `YYYY-MM-DD`: what “by Friday” is seen from.
   */
  date: string;
  /** Names of the workspace's people. */
  people: readonly string[];
}

export interface SuggestedTodo {
  /** One line, at most 500 characters. */
  title: string;
  /** The passage that it comes from, or details. At most 2,000 characters. */
  content: string | null;
  /** `YYYY-MM-DD`, a date that exists; null when none is stated. */
  dueDate: string | null;
  /** Exactly one of the material's `people`, when it is clearly that person's. */
  assignee: string | null;
}

/** What is written about a capture. Lengths in characters are Unicode code points. */
export interface CaptureDigest {
  /** One line, at most 300 characters; null when a person gave one, or there is nothing to write about. */
  title: string | null;
  /** One line, at most 120 characters. */
  subtitle: string | null;
  /** Markdown, at most 8,000 characters. */
  summary: string | null;
  /** At most 20. */
  todos: SuggestedTodo[];
}

/** What a model makes of one part of long material. */
export interface PartPoints {
  points: string[];
  todos: SuggestedTodo[];
}

/** The points of parts of a text, by the keys of the parts: the same piece of the same text has the same key. */
export interface SavedPoints {
  /** Those that were saved before. Read once, and only for material in parts. */
  read(): Promise<ReadonlyMap<string, PartPoints>>;
  /** What it throws ends the writing; parts that were saved are not asked for again. */
  save(key: string, points: PartPoints): Promise<void>;
}

/** How a capture is written about. */
export interface DigestOptions {
  signal: AbortSignal;
  /** Milliseconds spent asking a model, once per call that succeeded. */
  onActive?: (ms: number) => void;
  saved?: SavedPoints;
}

/** Longest texts in characters, and the most todos. */
export const captureLimits = {
  title: 300,
  subtitle: 120,
  summary: 8000,
  todoTitle: 500,
  todoContent: 2000,
  todos: 20,
} as const;

const visible = /[\p{L}\p{N}\p{S}]/u;

/** Whether a text has any visible character. */
export function hasText(text: string | null): text is string {
  return text !== null && visible.test(text);
}

/** The text without NUL and lone surrogates; null when nothing in it is visible. */
function readable(text: string | null): string | null {
  return hasText(text) ? text.replaceAll('\0', '').toWellFormed() : null;
}

/** The material without blank texts; undefined when none is left. */
export function materialToWrite(material: CaptureMaterial): CaptureMaterial | undefined {
  const text = readable(material.text);
  const notes = readable(material.notes);
  return text === null && notes === null ? undefined : { ...material, text, notes };
}

/** What is written about material without any text. */
export const emptyDigest = (): CaptureDigest => ({ title: null, subtitle: null, summary: null, todos: [] });
