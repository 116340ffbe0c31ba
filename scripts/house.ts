import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/* Sizes of the code files (docs/architecture.md): small enough to read at once, large enough to be worth opening. */

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

function isCode(path: string): boolean {
  const isSource = /\.(ts|tsx|mts|cts)$/.test(path) && !path.endsWith('.d.ts');
  return isSource && folders.includes(path.split('/')[0] ?? '') && !/(^|\/)(migrations|generated|dist)\//.test(path);
}

/** Line counts of the code files in the working tree: tracked ones, and new ones that are not ignored. */
export function readSizes(root = '.'): Sizes {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\0');
  const paths = new Set(listed.split('\0').filter((path) => isCode(path) && !deleted.includes(path)));
  return new Map([...paths].map((path) => [path, linesOf(readFileSync(join(root, path), 'utf8'))]));
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
  for (const fault of houseFaults(readSizes())) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}
