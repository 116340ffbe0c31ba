import { codePoints } from '../fields.ts';
import { shortened, withoutMarkdown } from '../plain-text.ts';

/** Longest title in code points. */
const longestTitle = 300;

/** How much of a note is looked at for its first line, in UTF-16 code units. */
const searched = 4000;

const blankLines = /^(?:[^\S\r\n]*(?:\r\n|[\r\n]|$))+/;
const line = /^([^\r\n]*)(?:\r\n|[\r\n]|$)/;
/** CommonMark §4.2: up to three spaces, one to six marks, the text, perhaps marks that close it. */
const atx = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
/** CommonMark §4.3, of one line of text. */
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** Lines that begin something else than a paragraph. */
const notParagraph = /^(?: {4}|\t| {0,3}(?:[-*+>|<]|#{1,6}(?:[ \t]|$)|\d{1,9}[.)][ \t]|`{3}|~{3}|[=_]+[ \t]*$))/;

/** The line that `text` begins with, and what comes after its line break. */
function firstLine(text: string): [said: string, rest: string] {
  const found = line.exec(text);
  return [found?.[1] ?? '', text.slice(found?.[0].length ?? 0)];
}

/** The heading that a Markdown text begins with, and the text behind it; undefined when it begins otherwise. */
function leadingHeading(text: string): { heading: string; rest: string } | undefined {
  const start = text.replace(blankLines, '');
  const [said, rest] = firstLine(start);
  const marked = atx.exec(said)?.[1]?.trim();
  if (marked) return { heading: marked, rest };
  if (said.trim() === '' || notParagraph.test(said)) return undefined;
  const [under, behind] = firstLine(rest);
  return underline.test(under) ? { heading: said.trim(), rest: behind } : undefined;
}

/** The first line of a note that says something, without Markdown and cut to the length of a title. */
export function firstLineOf(content: string | null): string | null {
  const [said = ''] = withoutMarkdown((content ?? '').trimStart().slice(0, searched)).split('\n');
  return said === '' ? null : shortened(said, longestTitle);
}

export interface NoteText {
  title: string | null;
  /** The title is the heading, as it was written: it stands nowhere else any more. */
  titleGiven: boolean;
  content: string | null;
}

/**
 * Title and text of a new note (SPEC "Captures"): a leading heading is the title and leaves the text, with the blank
 * lines behind it. One that is too long for a title stays where it is.
 */
export function noteTextOf(content: string): NoteText {
  const found = leadingHeading(content);
  if (!found || codePoints(found.heading) > longestTitle) {
    return { title: firstLineOf(content), titleGiven: false, content };
  }
  const rest = found.rest.replace(blankLines, '');
  return { title: found.heading, titleGiven: true, content: rest === '' ? null : rest };
}
