import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { partsOf, type Segment, segmentsOf } from './text-segments.ts';

/*
 * Jargon that the style replaces by standard terms, searched in everything that git tracks: names, comments, texts,
 * documents and file names. Prints a line for each finding.
 */

/** Where a pattern applies: in any text; in each word of a name; or in what explains code: comments, titles of tests, documents. */
type Place = 'text' | 'name' | 'explanation';

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
  ['explanation', /\b(?:fly|flies|flights?)\b(?<!\bin[\s*-]+flight)/i, 'batch, flush'],
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

/** The findings of one segment: offset and message. */
function findingsOf({ kind, text, start }: Segment): [offset: number, message: string][] {
  const readable = text.replace(apiFields, (name) => '_'.repeat(name.length));
  return rules.flatMap(([place, pattern, instead]): [number, string][] => {
    if (place === 'name') {
      const found = kind === 'identifier' ? partsOf(readable).find((part) => pattern.test(part)) : undefined;
      return found === undefined ? [] : [[start, `“${text}”: write ${instead}`]];
    }
    const isExplanation = kind === 'comment' || kind === 'title' || kind === 'prose';
    if (place === 'explanation' && !isExplanation) return [];
    const everywhere = new RegExp(pattern.source, pattern.flags.includes('i') ? 'gi' : 'g');
    return [...readable.matchAll(everywhere)].map((match) => [start + match.index, `“${match[0]}”: write ${instead}`]);
  });
}

/** Jargon in one file and in its path, as `path:line: “word”: write …`. */
export function wordFaults(path: string, text: string): string[] {
  if (allowed.some(([prefix]) => path.startsWith(prefix))) return [];
  const inPath = partsOf(path.replace(/\W+/g, '-')).flatMap((part) =>
    findingsOf({ kind: 'identifier', text: part, start: 0 }),
  );
  const inText = segmentsOf(path, text).flatMap(findingsOf);
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
