import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode, partsOf, type Segment, segmentsOf } from './text-segments.ts';

/*
 * Jargon that the style replaces by standard terms, searched in everything that git tracks: names, comments, texts,
 * documents and file names. Prints a line for each finding.
 */

/**
 * Where a pattern applies: in any text; in each word of a name; or in what explains code: comments, titles of tests,
 * documents.
 */
type Place = 'text' | 'name' | 'explanation';

/** Requests in flight are ordinary English. */
const inFlight = '(?<!\\bin[\\s*-]+flight)';

type Rule = readonly [place: Place, pattern: RegExp, instead: string];

/** Letters of the alphabet: `lower-case letters`, `letters, digits and -`, `the first letter`. */
const alphabet = {
  before: '(?<!\\b(?:first|last|capital|case|small|rare|single|each|one|two|nine) )',
  after:
    '(?! in front|-spacing|,? (?:(?:and|or) )?(?:digits?|numbers?|marks?|case)\\b|’ case| of (?:the alphabet|a word|a name))',
};

const rules: readonly Rule[] = [
  ['text', /\b\w*keepers?\b/i, 'lease renewal'],
  ['text', /\bdeafen\w*/i, 'unsubscribe'],
  ['text', /\brous(?:e|es|ed|ing)\b/i, 'wake'],
  ['text', /\btroubl\w*|[a-z]Trouble/, 'db errors, unavailable'],
  ['text', /\w*patience\w*|\bpatient(?:ly)?\b/i, 'timeout'],
  ['text', /backstage/i, 'workers'],
  ['text', /clockwork/i, 'scheduler'],
  ['text', /\bstrays\b/i, 'unhandled rejections'],
  ['text', /\bcomplain\w*/i, 'throttled warning'],
  ['text', /\bpost.?offices?\b/i, 'Mailer'],
  ['text', /mcp.?face\b/i, 'McpEndpoint'],
  ['text', /\bmost(?:Tries|Waits?|Attempts)\w*|\blongestWait\w*/, 'maxTries, maxWait'],
  ['text', /\b(?:went|goes|go) out\b/i, 'sent'],
  ['text', /\bin earnest\b/i, 'in production'],
  ['text', /\bon the line\b/i, 'on the pg listener'],
  ['text', new RegExp(`${alphabet.before}\\bletters?\\b${alphabet.after}`, 'i'), 'email'],
  ['text', /\bEvery so many\b/, 'Interval: every N'],
  ['explanation', /\bas now\b/i, 'unchanged if omitted'],
  ['explanation', /\bhow (?:it|they|things) stands?\b/i, 'status'],
  ['explanation', /\b(?:tells?|told|hears?|heard)\b/i, 'notifies, returns, logs, receives'],
  ['text', /\bVoices\b/, 'engine selection'],
  ['name', /^letters?$/, 'email'],
  ['name', /^(?:says?|said|saying|sayings)$/, 'text, value, segment, send'],
  ['name', /^(?:tells?|told|telling|tellings|tellers?)$/, 'notify, report, return'],
  ['name', /^(?:hears?|heard|hearing|ear|ears)$/, 'listen, receive, Listener'],
  ['name', /^(?:seals?|sealed|unseal)$/, 'signed state'],
  ['explanation', new RegExp(`\\b(?:fly|flies|flights?)\\b${inFlight}`, 'i'), 'batch, flush'],
  ['name', /^(?:manner|news|plant|party|standing|moment)$/, 'see the word list of the style'],
];

/** Fields of the API that have the word; changing them would break clients. */
const apiFields = /\b(?:letterStatus|sendsLetters)\b/g;

/** Files and folders that are not searched, each with the reason. */
const allowed: readonly (readonly [path: string, reason: string])[] = [
  ['scripts/words.ts', 'has the list'],
  ['tests/scripts/words.test.ts', 'tests the list'],
  ['db/migrations/', 'applied migrations do not change'],
  ['package-lock.json', 'names of packages'],
  ['tests/fixtures/', 'transcripts and texts of users'],
  ['tests/generated/', 'generated from openapi.json'],
  ['openapi.json', 'generated from sources that are searched'],
  ['tools.json', 'generated from sources that are searched'],
];

/** The rules with patterns that find every match. */
const everywhere = rules.map(
  ([place, pattern, instead]): Rule => [place, new RegExp(pattern, `${pattern.flags}g`), instead],
);
const nameRules = rules.filter(([place]) => place === 'name');
const textRules = everywhere.filter(([place]) => place === 'text');
const explanationRules = everywhere.filter(([place]) => place !== 'name');

/**
 * Whether the code of a whole file may have a finding, or surely has none, which is known in a tenth of the time: what
 * is around a match is not looked at, and a name ends wherever its next letter is no small one.
 */
function mayHaveFindings(code: string): boolean {
  return possible.some((pattern) => pattern.test(code));
}

const possible = [
  ...rules
    .filter(([place]) => place !== 'name')
    .map(([, { source, flags }]) => {
      const alone = source.replace(alphabet.before, '').replace(alphabet.after, '').replace(inFlight, '');
      return new RegExp(alone, flags);
    }),
  new RegExp(`(?:(?<![a-z])|(?=[A-Z]))(?:${nameRules.map(inBothCases).join('|')})(?![a-z])`),
];

/**
 * The pattern of a rule for one word as part of a name, each letter in both cases. `(?i:…)` would say the same, but V8
 * misses matches of it after a lookahead once a process has too many expressions to optimize them.
 */
function inBothCases([, { source }]: Rule): string {
  return source.slice(1, -1).replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

type Finding = readonly [offset: number, message: string];

/** Findings in a text of one kind; offsets are those in the text. */
function findingsIn(kind: Segment['kind'], text: string): Finding[] {
  const readable = text.replace(apiFields, (name) => '_'.repeat(name.length));
  const isExplanation = kind === 'comment' || kind === 'title' || kind === 'prose';
  const found = (isExplanation ? explanationRules : textRules).flatMap(([, pattern, instead]) =>
    [...readable.matchAll(pattern)].map((match): Finding => [match.index, `“${match[0]}”: write ${instead}`]),
  );
  if (kind !== 'identifier') return found;
  const parts = partsOf(readable);
  const named = nameRules.filter(([, pattern]) => parts.some((part) => pattern.test(part)));
  return [...found, ...named.map(([, , instead]): Finding => [0, `“${text}”: write ${instead}`])];
}

/** What was found in each name: most are used hundreds of times. */
const byName = new Map<string, readonly Finding[]>();

function findingsOfName(text: string): readonly Finding[] {
  const known = byName.get(text) ?? findingsIn('identifier', text);
  byName.set(text, known);
  return known;
}

/** The findings of one segment: offset in the file and message. */
function findingsOf({ kind, text, start }: Segment): Finding[] {
  const found = kind === 'identifier' ? findingsOfName(text) : findingsIn(kind, text);
  return found.map(([offset, message]) => [start + offset, message]);
}

/** Jargon in one file and in its path, as `path:line: “word”: write …`. */
export function wordFaults(path: string, text: string): string[] {
  if (allowed.some(([prefix]) => path.startsWith(prefix))) return [];
  const inPath = partsOf(path.replace(/\W+/g, '-')).flatMap((part) =>
    findingsOf({ kind: 'identifier', text: part, start: 0 }),
  );
  const inText = isCode(path) && !mayHaveFindings(text) ? [] : segmentsOf(path, text).flatMap(findingsOf);
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  return [
    ...new Set([
      ...inPath.map(([, message]) => `${path}: ${message}`),
      ...inText.sort(([a], [b]) => a - b).map(([offset, message]) => `${path}:${lineOf(offset)}: ${message}`),
    ]),
  ];
}

/** Jargon in all text files that git tracks, and in new ones that are not ignored. */
export function allWordFaults(root = '.'): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return [...new Set(listed.split('\0').filter(Boolean))].sort().flatMap((path) => {
    let text: string;
    try {
      text = readFileSync(join(root, path), 'utf8');
    } catch {
      return []; // deleted in the working tree
    }
    return text.includes('\0') ? [] : wordFaults(path, text);
  });
}

if (import.meta.main) {
  for (const fault of allWordFaults()) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}
