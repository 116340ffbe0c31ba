import catalogue from 'tandem:catalogue';
import { type Parsed, parseLine } from './arguments/parse.ts';
import { openSources } from './arguments/sources.ts';
import { readValue } from './arguments/values.ts';
import { localCommands } from './commands/local.ts';
import { flagOf } from './commands/local-command.ts';
import { runOperation } from './commands/run-operation.ts';
import { type Command, find, isOperation, plant, type Tree } from './commands/tree.ts';
import type { World } from './commands/world.ts';
import { complete } from './completion/complete.ts';
import { connect } from './credentials/connection.ts';
import { profileNameOf } from './credentials/profiles.ts';
import { Store } from './credentials/store.ts';
import { exitCodes, usage } from './failure.ts';
import { followTodo } from './follow/follow-todo.ts';
import { commandHelp } from './help/command-help.ts';
import { groupHelp, topHelp } from './help/overview.ts';
import { Prose } from './help/prose.ts';
import { tellProblem } from './output/problem.ts';
import { oneLine } from './output/safe.ts';
import { openOutput } from './output/terminal.ts';
import { Client } from './service/client.ts';

const prose = new Prose(catalogue);
const tree: Tree = plant(catalogue, [...localCommands, followTodo(clientFor)]);

const isHelp = (word: string) => word === '--help' || word === '-h';

/** The client of the profile that a command line means. @throws CliFailure. */
function clientFor(parsed: Parsed, world: World): Client {
  const { store, environment, err } = world;
  const { version } = catalogue;
  const profileName = profileNameOf(parsed, world);
  const profile = store.read().profiles[profileName];
  const connection = connect({ store, environment, profileName, profile, version });
  const limit = { kind: 'integer', minimum: 1, maximum: 3600 } as const;
  const seconds = Number(readValue(flagOf(parsed, 'timeout') ?? '60', limit, '--timeout', world.now));
  const isVerbose = parsed.general.has('verbose');
  return new Client({
    connection,
    version,
    timeoutMs: seconds * 1000,
    retries: !parsed.general.has('no-retry'),
    tell: (line, verbose = false) => {
      if (!verbose || isVerbose) err.write(`${err.paint('dim', oneLine(line))}\n`);
    },
  });
}

async function runCommand(command: Command, rest: readonly string[], world: World): Promise<number> {
  const parsed = parseLine(command, rest);
  if (parsed.general.has('help')) {
    world.out.write(commandHelp(command, catalogue, prose));
    return exitCodes.done;
  }
  if (isOperation(command)) return runOperation(command, parsed, clientFor(parsed, world), world);
  for (const { by, shown, text } of parsed.given) readValue(text ?? '', by.shape, shown, world.now);
  return command.run(parsed, world);
}

function completeLine(words: readonly string[], { out, store }: World): number {
  const found = complete(tree, words, Object.keys(store.read().profiles));
  for (const { text, about } of found) out.write(`${text}\t${oneLine(prose.read(about))}\n`);
  return exitCodes.done;
}

async function run(argv: readonly string[], world: World): Promise<number> {
  const [first, ...others] = argv;
  if (first === '__complete') return completeLine(others[0] === '--' ? others.slice(1) : others, world);
  if (first === '--version' || first === 'version') {
    world.out.write(`tandem ${catalogue.version}\n`);
    return exitCodes.done;
  }
  if (first === 'help') return run([...others.filter((word) => !isHelp(word)), '--help'], world);
  const place = find(tree, argv);
  if (place.kind === 'command') return runCommand(place.command, place.rest, world);
  const help = place.group === null ? topHelp(tree) : groupHelp(tree, place.group, prose);
  const strange = place.rest.find((word) => !isHelp(word));
  if (strange !== undefined) throw usage(`${strange} needs a command before it.`, 'See: tandem --help');
  world.out.write(help);
  return exitCodes.done;
}

/** The command that a line means, as far as one can tell: errors are told in its words. */
function commandIn(argv: readonly string[]): Command | undefined {
  try {
    const place = find(tree, argv);
    return place.kind === 'command' ? place.command : undefined;
  } catch {
    return undefined;
  }
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const { env: environment, stdin, stdout, stderr } = process;
  // Who reads a list through `head` has enough: that is no fault.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  }
  const err = openOutput(stderr, environment);
  const world: World = {
    catalogue,
    environment,
    out: openOutput(stdout, environment),
    err,
    sources: openSources(stdin),
    store: new Store(environment),
    now: new Date(),
  };
  try {
    process.exitCode = await run(argv, world);
  } catch (error) {
    const command = commandIn(argv);
    const isJson = argv.includes('--json') || argv.includes('--jsonl');
    tellProblem(error, err, isJson, command && isOperation(command) ? command : undefined);
    process.exitCode = (error as { exitCode?: number }).exitCode ?? exitCodes.failed;
  }
}

void main();
