import { codePoints } from '../fields.ts';
import { markdownTokens } from '../markdown.ts';
import { shortened, withoutMarkdown } from '../plain-text.ts';

/** Longest title in code points. */
const maxTitle = 300;

/** How much of a note is searched for its first line, in UTF-16 code units. */
const maxSearched = 4000;

const blankLines = /^(?:[^\S\r\n]*(?:\r\n|[\r\n]|$))+/;
const firstTwoLines = /^([^\r\n]*(?:\r\n|[\r\n]|$))([^\r\n]*(?:\r\n|[\r\n]|$))/;
/** Lines that begin a table or HTML elsewhere, which no heading is made of. */
const notHeading = /^ {0,3}[<|]/;

/**
 * The heading that a Markdown text begins with, as written, and the text behind it; undefined when it begins otherwise.
 */
function leadingHeading(text: string): { heading: string; rest: string } | undefined {
  const start = text.replace(blankLines, '');
  const [, first = '', second = ''] = firstTwoLines.exec(start) ?? [];
  if (first.trimEnd().length > maxSearched) return undefined;
  // An underlined heading of several lines is too long for a title: two lines are enough to find the others.
  const [open, inline] = markdownTokens(first + second);
  if (open?.type !== 'heading_open' || !inline?.content || notHeading.test(first)) return undefined;
  const length = open.map?.[1] === 1 ? first.length : first.length + second.length;
  return { heading: inline.content, rest: start.slice(length) };
}

/** The first line of a note that has text, without Markdown and cut to the length of a title. */
export function firstLineOf(content: string | null): string | null {
  const [line = ''] = withoutMarkdown((content ?? '').trimStart().slice(0, maxSearched)).split('\n');
  return line === '' ? null : shortened(line, maxTitle);
}

export interface NoteText {
  title: string | null;
  /** The title is the heading, as it was written: it stands nowhere else any more. */
  titleGiven: boolean;
  content: string | null;
}

/**
 * Title and text of a new note (SPEC "Captures"): a leading heading becomes the title and is removed from the text,
 * with the blank lines after it. A heading that is too long for a title stays in the text.
 */
export function noteTextOf(content: string): NoteText {
  const found = leadingHeading(content);
  if (!found || codePoints(found.heading) > maxTitle) {
    return { title: firstLineOf(content), titleGiven: false, content };
  }
  const rest = found.rest.replace(blankLines, '');
  return { title: found.heading, titleGiven: true, content: rest === '' ? null : rest };
}
