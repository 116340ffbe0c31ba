import type { Metric, Registry } from 'prom-client';

/** Numbers of one set of labels. */
export interface Timing {
  observe(seconds: number): void;
}

interface Labels {
  readonly [name: string]: string;
}

interface Value {
  value: number;
  labels: Record<string, string | number>;
  sharedLabels: Labels;
  metricName: string;
}

/**
 * A histogram whose labels are looked up once: prom-client builds a text from the labels for each observation, which is
 * most of its cost. It is exported in the same form.
 */
export class Timings {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #bounds: readonly number[];
  readonly #entries: { labels: Labels; counts: number[]; total: { sum: number; count: number } }[] = [];

  /** `bounds`: upper bounds of the buckets in seconds, ascending. */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
  }

  /** Adds what is observed under `labels`. Call it once for each set of labels. */
  of(labels: Labels): Timing {
    const bounds = this.#bounds;
    const entry = { labels, counts: bounds.map(() => 0), total: { sum: 0, count: 0 } };
    this.#entries.push(entry);
    const { counts, total } = entry;
    return {
      observe: (seconds) => {
        total.sum += seconds;
        total.count++;
        for (let place = 0; place < bounds.length; place++) {
          if (seconds > (bounds[place] as number)) continue;
          counts[place] = (counts[place] as number) + 1;
          return;
        }
      },
    };
  }

  /** What prom-client exports. */
  async get() {
    const { name, help, type, aggregator } = this;
    const values = this.#entries.flatMap(({ labels: sharedLabels, counts, total: { sum, count } }) => {
      let below = 0;
      const line = (of: string, value: number, labels: Value['labels'] = {}): Value => {
        return { value, labels, sharedLabels, metricName: `${name}_${of}` };
      };
      const buckets = this.#bounds.map((le, place) => {
        below += counts[place] ?? 0;
        return line('bucket', below, { le });
      });
      return [...buckets, line('bucket', count, { le: '+Inf' }), line('sum', sum), line('count', count)];
    });
    return { name, help, type, values, aggregator };
  }
}

/** Has a registry export the timings. */
export function exportTimings(registry: Registry, timings: Timings): void {
  registry.registerMetric(timings as unknown as Metric);
}
