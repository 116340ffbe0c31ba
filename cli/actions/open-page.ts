import { Names } from '../arguments/names.ts';
import type { Context, Parsed } from '../commands/invocation.ts';
import { type LocalCommand, plainArgument, textOf } from '../commands/local-command.ts';
import { exitCodes, usage } from '../model/failure.ts';
import type { Calls } from '../service/calls.ts';
import { connectionFor } from '../sign-in/profiles.ts';
import { tryBrowser } from '../terminal/interactive.ts';

/** Pages of one resource, by its type. */
const resources: Readonly<Record<string, { path: string; field: string }>> = {
  todo: { path: '/todos', field: 'todoId' },
  chat: { path: '/chats', field: 'chatId' },
  capture: { path: '/captures', field: 'captureId' },
};

/** Pages that show no single resource. */
const pages: Readonly<Record<string, string>> = {
  todos: '/todos',
  chats: '/chats',
  captures: '/captures',
  record: '/record',
  notifications: '/notifications',
  settings: '/settings',
  docs: '/docs',
};

const values = [...Object.keys(resources), ...Object.keys(pages)];

/** The path of a page. @throws CliFailure for a resource that does not exist, or an id too many or too few. */
async function pathOf(page: string | undefined, thing: string | undefined, names: () => Names): Promise<string> {
  if (page === undefined) return '/';
  const resource = resources[page];
  if (!resource && thing !== undefined) throw usage(`The page ${page} takes no id.`, 'See: tandem open --help');
  if (!resource) return pages[page] ?? '/';
  if (thing === undefined) throw usage('ID is missing.', `Such as: tandem open ${page} ID`);
  return `${resource.path}/${await names().idOf(thing, { field: resource.field, shown: 'ID' })}`;
}

/** `tandem open`. */
export function openPage(callsFor: (parsed: Parsed, context: Context) => Calls): LocalCommand {
  return {
    words: ['open'],
    summary: 'Open a page of the service in the browser',
    description: `Opens the service, or one of its pages: ${values.join(', ')}. A todo, chat or capture is given by its id, the start of its id, or its title. Where there is no browser, the address is printed; with --json it is printed only.`,
    arguments: [
      plainArgument('page', { isRequired: false, shape: { kind: 'string', values } }),
      plainArgument('id', { isRequired: false }),
    ],
    options: [],
    flags: [],
    examples: ['open', 'open todo "Compare three caterers"', 'open chat ID', 'open settings'],
    run: async (parsed, context) => {
      const { environment, out, err } = context;
      const names = () => new Names(callsFor(parsed, context), context);
      const path = await pathOf(textOf(parsed, 'page'), textOf(parsed, 'id'), names);
      const url = `${connectionFor(parsed, context).url}${path}`;
      if (parsed.general.has('json')) out.write(`${JSON.stringify({ url })}\n`);
      else if (await tryBrowser(url, environment)) err.write(`Opened ${url}\n`);
      else out.write(`${url}\n`);
      return exitCodes.done;
    },
  };
}
