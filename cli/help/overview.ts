import { commandsIn, groupNames, type Tree } from '../commands/tree.ts';
import { exitMeanings } from '../failure.ts';
import { entry, type Prose, paragraph } from './prose.ts';

const introduction = 'Tandem at the prompt: one list of work for people and agents.';

const firstSteps = [
  'login --url https://tandem.example.com',
  'todos list --status active',
  'todos create "Compare three caterers" --agent Assistant --run --wait',
  'chats create "What is due this week?" --wait',
];

/** What every command does with its answer. */
const rules =
  'On a terminal answers are tables and blocks for people; elsewhere lists are lines with tabs, without headings or colours. --json prints what the API answers. Errors go to stderr.';

function environment(): string[] {
  return [
    ...entry('TANDEM_API_KEY', 'A key to use instead of what is stored.'),
    ...entry('TANDEM_URL', 'Address of the service.'),
    ...entry('TANDEM_PROFILE', 'The profile, as --profile.'),
    ...entry('NO_COLOR', 'Without colours.'),
  ];
}

/** `tandem --help`. */
export function topHelp(tree: Tree): string {
  const groups = groupNames(tree).flatMap((name) => entry(name, tree.groups[name] ?? ''));
  const alone = commandsIn(tree, null).flatMap(({ words: [word = ''], summary }) => entry(word, summary));
  const lines = [
    introduction,
    '',
    'Usage:',
    '  tandem COMMAND [arguments] [flags]',
    '  tandem COMMAND --help',
    '  tandem --version',
    '',
    'Things to work with:',
    ...groups,
    '',
    'Commands:',
    ...alone,
    '',
    'Examples:',
    ...firstSteps.map((line) => `  tandem ${line}`),
    '',
    ...paragraph(rules),
    '',
    'Environment:',
    ...environment(),
    '',
    'Exit codes:',
    ...exitMeanings.flatMap(([code, meaning]) => entry(String(code), meaning)),
  ];
  return `${lines.join('\n')}\n`;
}

/** `tandem GROUP --help`. */
export function groupHelp(tree: Tree, group: string, prose: Prose): string {
  const commands = commandsIn(tree, group).flatMap(({ words, summary }) =>
    entry(words.slice(1).join(' '), prose.read(summary)),
  );
  const about = tree.groups[group];
  const lines = [
    ...(about ? [...paragraph(about), ''] : []),
    'Usage:',
    `  tandem ${group} COMMAND [arguments] [flags]`,
    '',
    'Commands:',
    ...commands,
    '',
    `More about one of them: tandem ${group} COMMAND --help`,
  ];
  return `${lines.join('\n')}\n`;
}
