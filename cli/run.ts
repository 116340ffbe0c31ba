import { changeTodos } from './actions/change-todos.ts';
import { openPage } from './actions/open-page.ts';
import { parseLine } from './arguments/parse.ts';
import { readValue } from './arguments/values.ts';
import type { Context, Parsed } from './commands/invocation.ts';
import { buildTree, type Command, find, isOperation, type Tree } from './commands/tree.ts';
import { complete } from './completion/complete.ts';
import { followTodo } from './follow/follow-todo.ts';
import { commandHelp } from './help/command-help.ts';
import { groupHelp, topHelp } from './help/overview.ts';
import { Prose } from './help/prose.ts';
import { localCommands } from './local-commands.ts';
import { exitCodes, usage } from './model/failure.ts';
import { printError } from './output/error.ts';
import { runOperation } from './run-operation.ts';
import type { Client } from './service/client.ts';
import { clientOf, connectionFor } from './sign-in/profiles.ts';
import { oneLine } from './terminal/safe.ts';
import { update } from './update/update.ts';

const isHelp = (word: string) => word === '--help' || word === '-h';

/** A client with the credentials of the profile that the command line selects. @throws CliFailure. */
function clientFor(parsed: Parsed, context: Context): Client {
  return clientOf(connectionFor(parsed, context), parsed, context);
}

async function runCommand(command: Command, rest: readonly string[], context: Context, prose: Prose): Promise<number> {
  const parsed = parseLine(command, rest);
  if (parsed.general.has('help')) {
    context.out.write(commandHelp(command, context.catalogue, prose));
    return exitCodes.done;
  }
  if (isOperation(command)) return runOperation(command, parsed, clientFor(parsed, context), context);
  for (const { by, shown, text } of parsed.given) readValue(text ?? '', by.shape, shown, context.now);
  return command.run(parsed, context);
}

/** Prints completions; the last word is the one being typed. */
function completeLine(words: readonly string[], tree: Tree, { out, store }: Context, prose: Prose): number {
  const found = complete(tree, words, Object.keys(store.read().profiles));
  for (const { text, about } of found) out.write(`${text}\t${oneLine(prose.read(about))}\n`);
  return exitCodes.done;
}

async function runLine(argv: readonly string[], tree: Tree, context: Context): Promise<number> {
  const { catalogue, out } = context;
  const prose = new Prose(catalogue);
  const [first, ...others] = argv;
  if (first === '__complete') return completeLine(others[0] === '--' ? others.slice(1) : others, tree, context, prose);
  if (first === '--version' || first === 'version') {
    out.write(`tandem ${catalogue.version}\n`);
    return exitCodes.done;
  }
  if (first === 'help') return runLine([...others.filter((word) => !isHelp(word)), '--help'], tree, context);
  const place = find(tree, argv);
  if (place.kind === 'command') return runCommand(place.command, place.rest, context, prose);
  const help = place.group === null ? topHelp(tree) : groupHelp(tree, place.group, prose);
  const unexpected = place.rest.find((word) => !isHelp(word));
  if (unexpected !== undefined) throw usage(`${unexpected} needs a command before it.`, 'See: tandem --help');
  out.write(help);
  return exitCodes.done;
}

/** The command of a line, if it can be resolved: errors then name its flags. */
function commandIn(argv: readonly string[], tree: Tree): Command | undefined {
  try {
    const place = find(tree, argv);
    return place.kind === 'command' ? place.command : undefined;
  } catch {
    return undefined;
  }
}

/** Every command of the client. */
export function everyCommand({ catalogue }: Pick<Context, 'catalogue'>): Tree {
  const calling = [...changeTodos(clientFor), followTodo(clientFor), openPage(clientFor), update(clientFor)];
  return buildTree(catalogue, [...localCommands, ...calling]);
}

/** Runs a command line and returns the exit code. Errors are printed on `context.err`. */
export async function runClient(argv: readonly string[], context: Context): Promise<number> {
  const tree = everyCommand(context);
  try {
    return await runLine(argv, tree, context);
  } catch (error) {
    const isJson = argv.includes('--json') || argv.includes('--jsonl');
    printError(error, context.err, isJson, commandIn(argv, tree));
    return (error as { exitCode?: number }).exitCode ?? exitCodes.failed;
  }
}
