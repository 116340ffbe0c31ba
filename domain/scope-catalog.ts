import { z } from 'zod';
import type { OperationFacts } from './operations.ts';
import { readScopes, type Scope, scopes } from './scopes.ts';

/** What each scope grants, for the person who grants it (SPEC "Scopes"). */
export const scopeDescriptions: Record<Scope, string> = {
  'todos:read': 'Read todos and todo lists, with titles, descriptions, assignees, schedules and run history',
  'todos:write': 'Create, change, archive, restore and delete todos and todo lists; start agent runs on a todo',
  'chats:read': 'Read chats and every message, with agent replies and tool calls',
  'chats:write': 'Start chats, send messages, cancel a running chat; archive, restore and delete chats',
  'agents:read': 'Read agents with their instructions, skills and working hours',
  'agents:write':
    'Create agents; change their instructions, permissions, skills and working hours; archive and restore them',
  'captures:read': 'Read captures in full: transcript, notes and summary',
  'captures:write':
    'Create notes, start and stop recordings, edit titles, content and tags; archive, restore and delete captures',
};

interface Preset {
  name: 'read_only' | 'read_all' | 'todo_manager' | 'agent_operator' | 'capture_intake' | 'full_access';
  title: string;
  description: string;
  scopes: Scope[];
}

const presets: Preset[] = [
  {
    name: 'read_only',
    title: 'Read only',
    description: 'Reads todos, chats and agents; no captures.',
    scopes: readScopes.filter((scope) => scope !== 'captures:read'),
  },
  {
    name: 'read_all',
    title: 'Read everything',
    description: 'Reads everything, transcripts of captures too.',
    scopes: readScopes,
  },
  {
    name: 'todo_manager',
    title: 'Todo manager',
    description: 'Reads and changes todos and todo lists, and starts agents on them.',
    scopes: ['todos:read', 'todos:write'],
  },
  {
    name: 'agent_operator',
    title: 'Agent operator',
    description: 'Works with agents, their chats and todos.',
    scopes: ['todos:read', 'todos:write', 'chats:read', 'chats:write', 'agents:read', 'agents:write'],
  },
  {
    name: 'capture_intake',
    title: 'Capture intake',
    description: 'Adds notes and recordings, and can read none.',
    scopes: ['captures:write'],
  },
  { name: 'full_access', title: 'Full access', description: 'Everything a key can do.', scopes: [...scopes] },
];

const ScopeEntry = z
  .object({
    object: z.literal('scope'),
    name: z.enum(scopes),
    resource: z.enum(['todos', 'chats', 'agents', 'captures']),
    access: z.enum(['read', 'write']),
    description: z.string().meta({ examples: ['Read todos and todo lists'] }),
    sensitive: z.boolean().describe('True where it gives access to confidential conversations.'),
    operations: z.array(z.string()).describe('operationIds that a credential with it may call.'),
  })
  .meta({ id: 'Scope' });

const PresetEntry = z
  .object({
    object: z.literal('scope_preset'),
    name: z.enum(['read_only', 'read_all', 'todo_manager', 'agent_operator', 'capture_intake', 'full_access']),
    title: z.string().meta({ examples: ['Read only'] }),
    description: z.string().meta({ examples: ['Reads todos, chats and agents; no captures.'] }),
    scopes: z.array(z.enum(scopes)),
  })
  .meta({ id: 'ScopePreset' });

export const ScopeCatalog = z
  .object({ object: z.literal('scope_catalog'), scopes: z.array(ScopeEntry), presets: z.array(PresetEntry) })
  .meta({ id: 'ScopeCatalog' });

type Resource = z.infer<typeof ScopeEntry>['resource'];

/** The catalogue of scopes and presets; the operations of a scope are derived from the metadata of the service. */
export function scopeCatalogOf(operations: readonly OperationFacts[]): z.infer<typeof ScopeCatalog> {
  const operationsOf = (name: Scope) =>
    operations
      .filter(
        ({ scope, access }) =>
          scope === name || ((access === 'reader' || access === 'subscriber') && name.endsWith(':read')),
      )
      .map(({ id }) => id)
      .sort();
  return {
    object: 'scope_catalog',
    scopes: scopes.map((name) => {
      const [resource, access] = name.split(':') as [Resource, 'read' | 'write'];
      const sensitive = name === 'captures:read';
      const description = scopeDescriptions[name];
      return { object: 'scope', name, resource, access, description, sensitive, operations: operationsOf(name) };
    }),
    presets: presets.map((preset) => ({ object: 'scope_preset', ...preset })),
  };
}
