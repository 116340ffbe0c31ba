import { readFileSync } from 'node:fs';
import { type ErrorCode, errorCodes } from '../../../domain/errors.ts';
import { errorGuide } from '../../error-guide.ts';

/** A page of Markdown: a guide, or the policy of deprecation. */
export interface Guide {
  /** The last part of its address. */
  name: string;
  title: string;
  /** Its first paragraph, in one line. */
  summary: string;
  markdown: string;
}

/**
 * The guides in the order of the menu, each a file of its name in docs/guides/. A new one needs its file and a line
 * here.
 */
export const guideNames = [
  'quick-start',
  'agents',
  'labels-and-views',
  'polling-and-streams',
  'errors',
  'idempotency',
  'pagination',
  'mcp',
  'deprecation',
] as const;

export type GuideName = (typeof guideNames)[number];

const folder = new URL('../../../docs/guides/', import.meta.url);

/** The reasons of an error code as a table; empty where it has none. */
function reasonTable(code: ErrorCode): string {
  const rows = Object.entries(errorGuide[code].reasons).map(
    ([reason, [means, remedy]]) => `| \`${reason}\` | ${means} | ${remedy} |`,
  );
  return rows.length === 0 ? '' : `\n${['| `reason` | meaning | what to do |', '|---|---|---|', ...rows].join('\n')}\n`;
}

/** Every error code under a heading of its name: where `docUrl` of an error points. */
function errorSections(): string {
  const section = (name: string) => {
    const code = name as ErrorCode;
    const { statuses, means, remedy } = errorGuide[code];
    return `### \`${code}\`\n\n*${errorCodes[code]} · HTTP ${statuses.join(', ')}*\n\n${means}\n\n**What to do:** ${remedy}\n${reasonTable(code)}`;
  };
  return Object.keys(errorCodes).map(section).join('\n');
}

/** What is generated and appended to the file of a guide. */
const generated: Partial<Record<GuideName, () => string>> = { errors: errorSections };

function read(name: GuideName): Guide {
  const text = readFileSync(new URL(`${name}.md`, folder), 'utf8');
  const [, title, summary] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(text) ?? [];
  if (!title || !summary) throw new Error(`docs/guides/${name}.md must begin with a heading and a paragraph`);
  const more = generated[name]?.();
  const markdown = more === undefined ? text : `${text.trimEnd()}\n\n${more}`;
  return { name, title, summary: summary.replaceAll('\n', ' '), markdown };
}

let guides: readonly Guide[] | undefined;

/**
 * All guides, read at the first use. @throws Error for a file that is missing, or that has no heading and paragraph.
 */
export function allGuides(): readonly Guide[] {
  guides ??= guideNames.map(read);
  return guides;
}
