import { type Parsed, parseLine } from './arguments/parse.ts';
import { readValue } from './arguments/values.ts';
import { localCommands } from './commands/local.ts';
import { flagOf } from './commands/local-command.ts';
import { runOperation } from './commands/run-operation.ts';
import { type Command, find, isOperation, plant, type Tree } from './commands/tree.ts';
import type { World } from './commands/world.ts';
import { complete } from './completion/complete.ts';
import { connect } from './credentials/connection.ts';
import { profileNameOf } from './credentials/profiles.ts';
import { exitCodes, usage } from './failure.ts';
import { followTodo } from './follow/follow-todo.ts';
import { commandHelp } from './help/command-help.ts';
import { groupHelp, topHelp } from './help/overview.ts';
import { Prose } from './help/prose.ts';
import { tellProblem } from './output/problem.ts';
import { oneLine } from './output/safe.ts';
import { Client } from './service/client.ts';

const isHelp = (word: string) => word === '--help' || word === '-h';

/** The client of the profile that a command line means. @throws CliFailure. */
function clientFor(parsed: Parsed, world: World): Client {
  const { store, environment, err } = world;
  const { version } = world.catalogue;
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

async function runCommand(command: Command, rest: readonly string[], world: World, prose: Prose): Promise<number> {
  const parsed = parseLine(command, rest);
  if (parsed.general.has('help')) {
    world.out.write(commandHelp(command, world.catalogue, prose));
    return exitCodes.done;
  }
  if (isOperation(command)) return runOperation(command, parsed, clientFor(parsed, world), world);
  for (const { by, shown, text } of parsed.given) readValue(text ?? '', by.shape, shown, world.now);
  return command.run(parsed, world);
}

/** The last word is being typed. */
function completeLine(words: readonly string[], tree: Tree, { out, store }: World, prose: Prose): number {
  const found = complete(tree, words, Object.keys(store.read().profiles));
  for (const { text, about } of found) out.write(`${text}\t${oneLine(prose.read(about))}\n`);
  return exitCodes.done;
}

async function runLine(argv: readonly string[], tree: Tree, world: World): Promise<number> {
  const { catalogue, out } = world;
  const prose = new Prose(catalogue);
  const [first, ...others] = argv;
  if (first === '__complete') return completeLine(others[0] === '--' ? others.slice(1) : others, tree, world, prose);
  if (first === '--version' || first === 'version') {
    out.write(`tandem ${catalogue.version}\n`);
    return exitCodes.done;
  }
  if (first === 'help') return runLine([...others.filter((word) => !isHelp(word)), '--help'], tree, world);
  const place = find(tree, argv);
  if (place.kind === 'command') return runCommand(place.command, place.rest, world, prose);
  const help = place.group === null ? topHelp(tree) : groupHelp(tree, place.group, prose);
  const strange = place.rest.find((word) => !isHelp(word));
  if (strange !== undefined) throw usage(`${strange} needs a command before it.`, 'See: tandem --help');
  out.write(help);
  return exitCodes.done;
}

/** The command that a line means, as far as one can tell: errors are told in its words. */
function commandIn(argv: readonly string[], tree: Tree): Command | undefined {
  try {
    const place = find(tree, argv);
    return place.kind === 'command' ? place.command : undefined;
  } catch {
    return undefined;
  }
}

/** Every command of the client. */
export function everyCommand({ catalogue }: Pick<World, 'catalogue'>): Tree {
  return plant(catalogue, [...localCommands, followTodo(clientFor)]);
}

/** Does what a command line says; the exit code. What goes wrong is told on `world.err`. */
export async function runClient(argv: readonly string[], world: World): Promise<number> {
  const tree = everyCommand(world);
  try {
    return await runLine(argv, tree, world);
  } catch (error) {
    const command = commandIn(argv, tree);
    const isJson = argv.includes('--json') || argv.includes('--jsonl');
    tellProblem(error, world.err, isJson, command && isOperation(command) ? command : undefined);
    return (error as { exitCode?: number }).exitCode ?? exitCodes.failed;
  }
}
