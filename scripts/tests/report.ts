import { stripVTControlCharacters } from 'node:util';
import type { FileResult } from './run-file.ts';

const seconds = (value: number) => `${value.toFixed(1)} s`;

/** What is printed when a file ends: one line, and all it wrote when it failed or `isVerbose`. */
export function fileReport(result: FileResult, isVerbose: boolean): string {
  const { path, passed, failed, skipped, output, faults } = result;
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
  const line = `${failed > 0 ? '✗' : '✓'} ${path}: ${counts.filter(Boolean).join(', ')} (${seconds(result.seconds)})\n`;
  if (failed === 0 && !isVerbose) return line;
  const text = [output.trim(), ...faults.map((fault) => `   FAIL  ${path}: ${fault}`)].filter(Boolean).join('\n');
  return `${text && `\n${text}\n`}${line}`;
}

/**
 * Files with wall time, CPU time (the worker and its ended child processes; not PostgreSQL) and longest test, with its
 * name.
 */
export function timesTable(results: readonly FileResult[], count = results.length): string {
  const rows = results
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map((each) => {
      const times = [each.seconds, each.cpuSeconds, each.longest.seconds].map((value) => value.toFixed(1).padStart(7));
      return `${times.join(' ')}  ${each.path} ${each.longest.name && `(${each.longest.name})`}`.trimEnd();
    });
  return ['   wall     CPU longest  file', ...rows].join('\n');
}

/**
 * What failed, once more in short, for the end of a long log: each file, its failed tests and the first line of why.
 */
export function failures(results: readonly FileResult[]): string {
  const failed = results.filter((each) => each.failed > 0);
  return failed
    .flatMap(({ path, output, faults }) => {
      const lines = stripVTControlCharacters(output).split('\n');
      const tests = lines.flatMap((line, index) =>
        /^\s+FAIL /.test(line) ? [line.trim(), lines[index + 1]?.trim() ?? ''] : [],
      );
      return [`✗ ${path}`, ...[...tests, ...faults].filter(Boolean).map((line) => `    ${line.slice(0, 200)}`)];
    })
    .join('\n');
}

/** The last line: 'N passed, N failed, N skipped'. */
export function totals(results: readonly FileResult[]): string {
  const sum = (key: 'passed' | 'failed' | 'skipped') => results.reduce((all, each) => all + each[key], 0);
  return `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
}
