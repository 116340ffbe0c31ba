import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Sizes of the code files (docs/architecture.md): small enough to read at once, large enough to be worth opening. And
 * the width of comments, which Biome does not wrap.
 */

const folders = [
  ...['db', 'domain', 'outbound', 'engine', 'media', 'routers', 'adapters', 'server'],
  ...['cli', 'client', 'web', 'scripts', 'bench', 'examples'],
];

/** The limits, in lines of a file and in files. */
export interface Limits {
  maxMedian: number;
  maxLines: number;
  /** Files with fewer lines than this are short. */
  shortLines: number;
  maxShortFiles: number;
}

const limits: Limits = { maxMedian: 90, maxLines: 250, shortLines: 20, maxShortFiles: 20 };

/** Lines of each code file, by path. */
export type Sizes = ReadonlyMap<string, number>;

/** `lineWidth` of biome.json. */
const lineWidth = 120;

function isSource(path: string): boolean {
  return /\.(ts|tsx|mts|cts)$/.test(path) && !/\.d\.ts$|(^|\/)(migrations|generated|dist)\//.test(path);
}

function isCode(path: string): boolean {
  return isSource(path) && folders.includes(path.split('/')[0] ?? '');
}

/** Paths in the working tree: of tracked files, and of new ones that are not ignored. */
function pathsIn(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\0');
  return [...new Set(listed.split('\0'))].filter((path) => !deleted.includes(path));
}

/** Line counts of the code files in the working tree. */
export function readSizes(root = '.'): Sizes {
  const paths = pathsIn(root).filter(isCode);
  return new Map(paths.map((path) => [path, linesOf(readFileSync(join(root, path), 'utf8'))]));
}

/** The lines of a source that are comments and wider than the code around them may be, by number. */
export function wideComments(source: string): number[] {
  const lines = source.split('\n').map((line, index) => ({ line, number: index + 1 }));
  return lines.flatMap(({ line, number }) =>
    line.length > lineWidth && /^\s*(\/\/ |\/?\*|\{\/\*)/.test(line) ? number : [],
  );
}

/** The wide comments of all sources, tests too: a line for each. */
export function commentFaults(root = '.'): string[] {
  return pathsIn(root)
    .filter(isSource)
    .flatMap((path) =>
      wideComments(readFileSync(join(root, path), 'utf8')).map(
        (number) => `${path}:${number}: a comment wider than ${lineWidth} characters: wrap it`,
      ),
    );
}

function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** The median of the line counts; 0 without files. */
export function medianOf(sizes: Sizes): number {
  const sorted = [...sizes.values()].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** What exceeds the limits, one line each; empty when all is within them. */
export function houseFaults(
  sizes: Sizes,
  { maxMedian, maxLines, shortLines, maxShortFiles }: Limits = limits,
): string[] {
  const files = [...sizes].sort(([, a], [, b]) => b - a);
  const faults = files
    .filter(([, lines]) => lines > maxLines)
    .map(([path, lines]) => `${path} has ${lines} lines: split it, the limit is ${maxLines}`);
  const median = medianOf(sizes);
  if (median > maxMedian) faults.push(`The median file has ${median} lines: the limit is ${maxMedian}`);
  const short = files.filter(([, lines]) => lines < shortLines);
  if (short.length > maxShortFiles) {
    const named = short.map(([path, lines]) => `${path} (${lines})`).join(', ');
    faults.push(
      `${short.length} files have fewer than ${shortLines} lines: join some, the limit is ${maxShortFiles}: ${named}`,
    );
  }
  return faults;
}

if (import.meta.main) {
  for (const fault of [...houseFaults(readSizes()), ...commentFaults()]) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}
