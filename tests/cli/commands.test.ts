import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { operationsOf } from '../../adapters/operations.ts';
import { parseLine } from '../../cli/arguments/parse.ts';
import { commandOf, type OperationCommand } from '../../cli/commands/command.ts';
import { generalFlags, takenFlags } from '../../cli/commands/general.ts';
import * as spelling from '../../cli/commands/spelling.ts';
import { buildTree, find, groupNames, isOperation, type Tree } from '../../cli/commands/tree.ts';
import { complete } from '../../cli/completion/complete.ts';
import { followTodo } from '../../cli/follow/follow-todo.ts';
import { commandHelp } from '../../cli/help/command-help.ts';
import { examplesOf } from '../../cli/help/examples.ts';
import { groupHelp, topHelp } from '../../cli/help/overview.ts';
import { helpColumns, Prose } from '../../cli/help/prose.ts';
import { localCommands } from '../../cli/local-commands.ts';
import type { Field } from '../../cli/model/catalogue.ts';
import { width } from '../../cli/terminal/width.ts';
import { Id } from '../../domain/fields.ts';
import { procedure, router } from '../../routers/base.ts';
import { appRouter } from '../../routers/index.ts';
import { op } from '../../routers/metadata.ts';
import { catalogueOf } from '../../scripts/cli-catalogue.ts';

const test = suite('the commands of the client');

const catalogue = catalogueOf();
const unused = () => {
  throw new Error('no command is run here');
};
const tree: Tree = buildTree(catalogue, [...localCommands, followTodo(unused)]);
const prose = new Prose(catalogue);
const operationCommands = tree.commands.filter(isOperation);
const nameOf = ({ words }: { words: readonly string[] }) => words.join(' ');

test('every operation of the service has one command, and every command of an operation has one of them', () => {
  const ids = operationsOf(appRouter).map(({ id }) => id);
  assert.ok(ids.length > 70);
  assert.equal(operationCommands.map(({ operation }) => operation.id).sort(), [...ids].sort());
  const names = tree.commands.map(nameOf);
  assert.equal([...new Set(names)].length, names.length, 'no two are typed alike');
  for (const command of tree.commands) {
    const place = find(tree, command.words);
    assert.ok(place.kind === 'command' && place.command === command, nameOf(command));
    assert.ok(command.words.length === 1 ? !groupNames(tree).includes(nameOf(command)) : command.words.length === 2);
    for (const word of command.words) assert.match(word, /^[a-z]+(-[a-z]+)*$/);
  }
});

test('an operation that is new has a command with its arguments and flags at once', () => {
  const New = z.object({ object: z.literal('gadget'), id: Id, name: z.string() }).meta({ id: 'Gadget' });
  const added = router({
    gadgets: router({
      listParts: procedure
        .meta(
          op('GET /gadgets/{gadgetId}/parts', { id: 'listGadgetParts', summary: 'List parts', scope: 'todos:read' }),
        )
        .input(z.strictObject({ gadgetId: Id, isSpare: z.boolean().optional() }))
        .output(New)
        .query(unused),
      tuneUp: procedure
        .meta(op('POST /gadgets/{gadgetId}/tune-up', { id: 'tuneUpGadget', summary: 'Tune up', keyed: true }))
        .input(z.strictObject({ gadgetId: Id, name: z.string(), json: z.string().optional() }))
        .output(New)
        .mutation(unused),
    }),
  });
  const [list, tune] = catalogueOf(added).operations.map(commandOf);
  assert.is(list && nameOf(list), 'gadgets parts');
  assert.equal(
    list?.arguments.map(({ name }) => name),
    ['gadget'],
  );
  assert.ok(list?.options.some(({ flag }) => flag === 'spare'));
  assert.is(tune && nameOf(tune), 'gadgets tune-up');
  assert.equal(
    tune?.arguments.map(({ name }) => name),
    ['gadget', 'name'],
  );
  assert.ok(
    tune?.options.some(({ flag }) => flag === 'field-json'),
    'a field never takes a flag of the client',
  );
  assert.ok(tune?.flags.some(({ flag }) => flag === 'idempotency-key'));
});

/** Every field below these, by where it stands. */
function pathsOf(fields: readonly Field[], parents: string[] = []): string[] {
  return fields.flatMap((field) => {
    const path = [...parents, field.name];
    const inner = field.kind === 'object' ? pathsOf(field.fields ?? [], path) : [];
    return [path.join('.'), ...inner];
  });
}

test('every field of every operation can be given, and no two flags of a command are alike', () => {
  const known = new Map(operationsOf(appRouter).map(({ id, fields }) => [id, Object.keys(fields)]));
  for (const { operation, options, flags, words } of operationCommands) {
    const tops = options.map(({ target }) => target.path[0] ?? '');
    assert.equal([...new Set(tops)].sort(), known.get(operation.id)?.sort(), words.join(' '));
    const { pathFields, queryFields, bodyFields } = operation;
    const targets = options.map(({ target }) => `${target.place} ${target.path.join('.')}`);
    for (const [place, fields] of Object.entries({ path: pathFields, query: queryFields, body: bodyFields })) {
      for (const path of pathsOf(fields)) assert.ok(targets.includes(`${place} ${path}`), `${words}: ${place} ${path}`);
    }
    const own = [...generalFlags, ...flags].map(({ flag }) => flag);
    const names = [...options.flatMap(({ flag, aliases }) => [flag, ...aliases]), ...own];
    assert.equal(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
      words.join(' '),
    );
    for (const { flag } of options) {
      assert.match(flag, /^[a-z]+(-[a-z]+)*$/);
      assert.not.ok(takenFlags.has(flag), flag);
    }
  }
});

test('the spelling names nothing that does not exist', () => {
  const ids = new Set(catalogue.operations.map(({ id }) => id));
  const fields = new Set(operationCommands.flatMap(({ options }) => options.flatMap(({ target }) => target.path)));
  for (const id of [...Object.keys(spelling.commandWords), ...Object.keys(spelling.examples)])
    assert.ok(ids.has(id), id);
  const named = [spelling.flagNames, spelling.referenceFlags, spelling.namedThings].flatMap((each) =>
    Object.keys(each),
  );
  const { naturalFields, naturalLists, filledLists, prefixedObjects } = spelling;
  for (const name of [...named, ...naturalFields, ...naturalLists, ...filledLists, ...prefixedObjects])
    assert.ok(fields.has(name), name);
  const procedures = new Set(catalogue.operations.map(({ name }) => name));
  for (const name of ['meta.identity', 'auth.signIn', 'auth.signOut']) assert.ok(procedures.has(name), name);
});

test('every help fits 80 columns and lists every flag', () => {
  const helps = new Map([['tandem', topHelp(tree)]]);
  for (const group of groupNames(tree)) helps.set(group, groupHelp(tree, group, prose));
  for (const command of tree.commands) helps.set(nameOf(command), commandHelp(command, catalogue, prose));
  for (const [name, text] of helps) {
    for (const line of text.split('\n')) assert.ok(width(line) <= helpColumns, `${name}: ${line}`);
    assert.match(text, /^Usage:\n {2}tandem/m, name);
    assert.not.match(text, /undefined|\[object|`|Default: \./, name);
  }
  for (const { words, options, arguments: args } of operationCommands) {
    const text = helps.get(words.join(' ')) ?? '';
    const inArguments = new Set(args.map(({ target }) => target.path.join('.')));
    for (const { flag, target, isNegative } of options) {
      if (!isNegative && !inArguments.has(target.path.join('.'))) assert.match(text, `--${flag}`, words.join(' '));
    }
    for (const { name } of args) assert.match(text, name.toUpperCase());
    assert.match(text, /^Examples:$/m);
  }
});

/** The words of a line as a shell splits it, between pipes. */
function shellWords(line: string): string[] {
  const ours = line.includes('| tandem ') ? (line.split('| tandem ')[1] ?? '') : (line.split(/ [|<] /)[0] ?? '');
  return [...ours.matchAll(/"((?:\\.|[^"])*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) =>
    (double?.replace(/\\(.)/g, '$1') ?? single ?? bare ?? '').toString(),
  );
}

test('every example is a line that the client takes', () => {
  for (const command of tree.commands) {
    const lines = isOperation(command) ? examplesOf(command) : command.examples;
    assert.ok(lines.length > 0, nameOf(command));
    for (const line of lines) {
      const place = find(tree, shellWords(line));
      assert.ok(place.kind === 'command' && place.command === command, line);
      if (place.kind === 'command') parseLine(place.command, place.rest);
    }
  }
});

const texts = (words: readonly string[]) => complete(tree, words, ['work']).map(({ text }) => text);

test('completion leads to every command, and offers its flags and their values', () => {
  for (const command of tree.commands) {
    const [first = '', second] = command.words;
    assert.ok(texts([first.slice(0, -1)]).includes(first), first);
    if (second) assert.ok(texts([first, '']).includes(second), nameOf(command));
    for (const { flag, target } of command.options) {
      if (target.place === 'path') continue;
      assert.ok(
        texts([...command.words, `--${flag.slice(0, -1)}`]).includes(`--${flag}`),
        `${nameOf(command)} ${flag}`,
      );
    }
  }
  assert.equal(texts(['todos', 'list', '--status', '']), ['ready', 'in_progress', 'done', 'active']);
  assert.equal(texts(['todos', 'list', '--status=in']), ['--status=in_progress']);
  assert.equal(texts(['approvals', 'decide', 'ID', '']), ['approve', 'deny']);
  assert.equal(texts(['api-keys', 'create', 'x', '--scope', 'todos:read,todos:']), ['todos:read,todos:write']);
  assert.equal(texts(['todos', 'list', '--fields', 'title,dueD']), ['title,dueDate']);
  assert.equal(texts(['todos', 'list', '--profile', '']), ['work']);
  assert.equal(texts(['completion', '']), ['bash', 'zsh', 'fish']);
  assert.equal(texts(['nothing', '']), []);
});

const line = (text: string) => {
  const place = find(tree, shellWords(text));
  if (place.kind !== 'command') throw new Error(text);
  return parseLine(place.command as OperationCommand, place.rest);
};
const fault = (text: string): string => {
  try {
    line(text);
  } catch (error) {
    const { message, hints } = error as Error & { hints: string[] };
    return [message, ...hints].join(' ');
  }
  throw new Error(`${text} was taken`);
};

test('an error for a misspelt word names the closest existing one', () => {
  assert.match(fault('todo list'), 'Did you mean: tandem todos?');
  assert.match(fault('todos creat x'), 'Did you mean: tandem todos create?');
  assert.match(fault('todos list --stauts ready'), 'Did you mean --status?');
  assert.match(fault('todos list --frobnicate'), 'See: tandem todos list --help');
  assert.match(fault('todos update --status done'), 'TODO is missing.');
  assert.match(fault('todos get ID more'), 'Unexpected argument “more”.');
  assert.match(fault('chats send ID'), 'MESSAGE is missing.');
  assert.match(fault('todos create --title --priority high'), '--title needs a value');
  assert.match(fault('todos create x --run=perhaps'), '--run takes no value.');
  assert.match(fault('todos list --json=1'), '--json takes no value.');
});

test('general flags may stand anywhere, and a value may look like a flag where it is written with =', () => {
  const { given, general } = line('--profile work todos --json update ID --title=--priority --no-due-date');
  assert.equal([general.get('profile'), general.get('json')], ['work', true]);
  assert.equal(
    given.map(({ text }) => text),
    ['--priority', undefined, 'ID'],
  );
});

test.run();
