import type { ChildProcess } from 'node:child_process';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedDatabaseError } from '../errors.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { bareEnvironment } from './cluster.ts';
import { sharedBuffersFor } from './memory.ts';
import type { Log } from './ownership.ts';
import { lastLines, launch } from './postmaster.ts';

const defaultSettings: Record<string, string> = {
  cluster_name: 'tandem',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: sharedBuffersFor(),
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  // The order in which transactions committed is the order of their events.
  track_commit_timestamp: 'on',
  logging_collector: 'off',
  log_line_prefix: '%m [%p] ',
  // Errors of single statements go to the client, which logs them; here they would pile up, with customers' values.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** One data directory, ready to be served. */
export interface Site {
  /** Fixed TCP port; a free one is picked when undefined. */
  port: number | undefined;
  settings: Record<string, string>;
  clusterDir: string;
  logFile: string;
  password: string;
  binaries: Binaries;
  account: Account;
  log: Log;
}

/** Starts PostgreSQL, again when an attempt ended for a reason that passes. */
export class Starter {
  readonly #site: Site;
  #child: ChildProcess | undefined;

  constructor(site: Site) {
    this.#site = site;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { port, account, binaries, clusterDir, logFile } = this.#site;
    if (this.#child) {
      if (this.#child.exitCode === null && this.#child.signalCode === null) return;
      await this.#examineExit();
    }
    const settings = { ...defaultSettings, ...this.#site.settings, port: `${port ?? (await freePort())}` };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = account.command(binaries.postgres, ['-D', clusterDir, ...flags]);
    this.#child = await launch({ command, env: bareEnvironment(), logFile });
    // A later start by this account itself, without root, must be able to append.
    await account.own(logFile);
  }

  async #examineExit(): Promise<void> {
    const { port, logFile, clusterDir } = this.#site;
    const lines = await lastLines(logFile, this.pid);
    const output = lines.join('\n');
    this.#child = undefined;
    if (/lock file "postmaster\.pid"|pre-existing shared memory block/i.test(output)) {
      await sleep(100);
      return;
    }
    if (/could not bind|could not create any TCP\/IP sockets/i.test(output)) {
      if (port === undefined) return;
      throw new EmbeddedDatabaseError(
        `The embedded database cannot listen on port ${port} of 127.0.0.1: ${reasonForPort(output)}. ` +
          'Set EMBEDDED_PORT to another port, or leave it unset so that a free one is picked.',
      );
    }
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not start in ${clusterDir}. Its last log lines (more in ${logFile}):\n${lines.join('\n')}`,
    );
  }
}

function reasonForPort(output: string): string {
  return /permission denied/i.test(output) ? 'the system does not permit it' : 'another program uses it';
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
