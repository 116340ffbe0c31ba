import { setTimeout as sleep } from 'node:timers/promises';
import { postmasterPid } from '../fixtures/database-service.ts';
import { launch, type ServiceProcess } from './processes.ts';

/** What is done to the processes, in an order drawn by lot. */
export interface Blows {
  /** `kill -9` of a service. */
  kills: number;
  /** `kill -9` of PostgreSQL. */
  databaseKills: number;
  /** SIGSTOP of a service for longer than any lease, then SIGCONT. */
  freezes: number;
}

/** Longer than the lease of a turn, a capture or a recording (12 s). */
const freezeMs = 15_000;

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** Processes of the service, of which some are killed or frozen while the others work. */
export class Killer {
  /** When the last blow was over: `performance.now()`. */
  lastBlowAt = 0;
  readonly #services: ServiceProcess[] = [];
  readonly #environment: Record<string, string>;
  readonly #dataDir: string;
  #frozen: ServiceProcess | undefined;
  #striking: Promise<void> = Promise.resolve();
  #isStopped = false;
  #freeze: Promise<void> = Promise.resolve();

  /** `dataDir` is that of the PostgreSQL which the services use, and which somebody starts again. */
  constructor(environment: Record<string, string>, dataDir: string) {
    this.#environment = environment;
    this.#dataDir = dataDir;
  }

  async start(count: number): Promise<void> {
    for (let place = 0; place < count; place++) this.#services.push(await this.#fresh());
  }

  /** Any process, the frozen one too: nobody knows. */
  any(): ServiceProcess {
    return this.#services[Math.floor(Math.random() * this.#services.length)] as ServiceProcess;
  }

  strike(blows: Blows): Promise<void> {
    const striking = this.#strike(blows);
    this.#striking = striking.catch(() => {});
    return striking;
  }

  /** Strikes no more; resolves when nothing is frozen. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#striking;
    await this.#freeze;
  }

  async #strike({ kills, databaseKills, freezes }: Blows): Promise<void> {
    const blows = shuffled([
      ...Array.from({ length: kills }, () => () => this.#kill()),
      ...Array.from({ length: databaseKills }, () => () => this.#killDatabase()),
      ...Array.from({ length: freezes }, () => () => this.#beginFreeze()),
    ]);
    for (const blow of blows) {
      await sleep(300 + Math.random() * 1200);
      if (this.#isStopped) break;
      await blow();
      this.lastBlowAt = performance.now();
    }
    await this.#freeze;
    this.lastBlowAt = performance.now();
  }

  /** One that listens: while the database is down, a process may end instead. */
  async #fresh(): Promise<ServiceProcess> {
    for (;;) {
      const service = await launch(this.#environment);
      if (service.url !== '') return service;
      await sleep(200);
    }
  }

  async #kill(): Promise<void> {
    const fresh = await this.#fresh();
    const awake = this.#services.filter((service) => service !== this.#frozen);
    const victim = awake[Math.floor(Math.random() * awake.length)] as ServiceProcess;
    victim.child.kill('SIGKILL');
    await victim.exited;
    this.#services[this.#services.indexOf(victim)] = fresh;
  }

  async #killDatabase(): Promise<void> {
    process.kill(await postmasterPid(this.#dataDir), 'SIGKILL');
  }

  async #beginFreeze(): Promise<void> {
    await this.#freeze;
    const service = this.any();
    this.#frozen = service;
    service.child.kill('SIGSTOP');
    this.#freeze = sleep(freezeMs).then(() => {
      service.child.kill('SIGCONT');
      this.#frozen = undefined;
    });
  }
}
