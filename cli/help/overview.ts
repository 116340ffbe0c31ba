import { commandsIn, groupNames, type Tree } from '../commands/tree.ts';
import { exitMeanings } from '../model/failure.ts';
import { entry, type Prose, paragraph } from './prose.ts';

const introduction = 'Command-line client of Tandem: one list of work for people and agents.';

const firstSteps = [
  'login --url https://tandem.example.com',
  'todos list --status active',
  'todos create "Compare three caterers" --agent Assistant --run --wait',
  'chats create "What is due this week?" --wait',
];

/** Output formats of every command. */
const rules =
  'On a terminal, results are tables and blocks; elsewhere lists are tab-separated lines without headings or colours. --json prints the API response. Errors are printed on stderr.';

function environment(): string[] {
  return [
    ...entry('TANDEM_API_KEY', 'API key to use instead of stored credentials.'),
    ...entry('TANDEM_URL', 'Address of the service.'),
    ...entry('TANDEM_PROFILE', 'The profile, like --profile.'),
    ...entry('NO_COLOR', 'Disables colours.'),
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
    'Resources:',
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
    `Help for one command: tandem ${group} COMMAND --help`,
  ];
  return `${lines.join('\n')}\n`;
}
