import type { BenchDatabase } from './harness/database.ts';
import { fine, median, tenths, whole } from './harness/figures.ts';
import { Loader } from './harness/loader.ts';
import type { Options } from './harness/options.ts';
import { table } from './harness/report.ts';
import { memoryOf, startService } from './harness/servers.ts';
import { sampleSpaces } from './harness/spaces.ts';
import { deleteNewTodos } from './requests/index.ts';
import { workloadsOf } from './requests/workloads.ts';

/** What was seen in one pass over all workloads. */
interface Pass {
  /** Minutes since the begin, at the end of the pass. */
  minute: number;
  /** Resident memory then, in MiB. */
  resident: number;
  answered: number;
  errors: number;
}

export interface SoakFigures {
  passes: Pass[];
  errors: number;
}

/** Targets: resident memory in MiB, and how much larger it may be in the last third than in the one before. */
const maxResident = 300;
const maxGrowth = 1.05;

/** Loads one process with every workload in turn for `options.minutes`, and reads its memory after each pass. */
export async function measureSoak(
  database: BenchDatabase,
  options: Options,
  print: (line: string) => void,
): Promise<SoakFigures> {
  const [key = ''] = database.keys;
  const [{ now: begun } = { now: '' }] = await database.db.rows<{ now: string }>('select now()', []);
  const service = await startService({ DATABASE_URL: database.url }, key);
  const loader = new Loader();
  try {
    const workloads = await workloadsOf(service.url, await sampleSpaces(database, 100));
    const passes: Pass[] = [];
    const start = performance.now();
    const minutes = () => (performance.now() - start) / 60_000;
    while (minutes() < options.minutes || passes.length < 3) {
      let [answered, errors] = [0, 0];
      for (const { calls } of workloads) {
        const result = await loader.load(service.url, calls, options.connections, options.seconds);
        answered += result.answered;
        errors += result.errors;
      }
      const resident = memoryOf(service.pid);
      passes.push({ minute: minutes(), resident, answered, errors });
      print(
        `  soak: minute ${tenths(minutes())}, ${whole(resident)} MiB, ${whole(answered)} answers, ${errors} errors`,
      );
    }
    return { passes, errors: passes.reduce((sum, { errors }) => sum + errors, 0) };
  } finally {
    loader.close();
    await service.stop();
    await deleteNewTodos(database, begun);
  }
}

/** The thirds of the load as Markdown. Missed targets are bold. */
export function reportSoak({ passes }: SoakFigures, { minutes, seconds }: Options): string {
  const { length } = passes;
  const at = (third: number) => Math.round((length * third) / 3);
  const thirds = [0, 1, 2].map((third) => passes.slice(at(third), at(third + 1)));
  const medians = thirds.map((third) => median(third.map(({ resident }) => resident)));
  const rows = thirds.map((third, place) => {
    const resident = medians[place] ?? Number.NaN;
    const most = Math.max(...third.map((pass) => pass.resident));
    return [
      `until minute ${tenths(third.at(-1)?.minute ?? Number.NaN)}`,
      whole(resident),
      most > maxResident ? `**${whole(most)}**` : whole(most),
      whole(third.reduce((sum, { answered }) => sum + answered, 0)),
      `${third.reduce((sum, { errors }) => sum + errors, 0)}`,
    ];
  });
  const growth = (medians[2] ?? Number.NaN) / (medians[1] ?? Number.NaN);
  const shown = growth > maxGrowth ? `**${fine(growth)}**` : fine(growth);
  return `### Memory under load

Every workload in turn, ${seconds} s each, for ${minutes} minutes on one process. Resident memory in MiB (target ≤ ${maxResident}).

${table(['passes', 'median', 'most', 'answers', 'errors'], rows)}

The last third beside the one before: ${shown} (target ≤ ${fine(maxGrowth)}).`;
}
