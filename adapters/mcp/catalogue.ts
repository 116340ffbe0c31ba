import type { Principal } from '../../domain/context.ts';
import { scopes } from '../../domain/scopes.ts';
import { instructionsFor } from '../../routers/tools/instructions.ts';
import { lackingScopes } from '../../routers/tools/tool.ts';
import type { Tool } from '../operations.ts';
import { type ListedTool, listedTool } from '../tools/list.ts';

/** What a credential sees of the tools. */
export interface View {
  tools: ListedTool[];
  instructions: string;
}

export interface Catalogue {
  /** A tool by its name, whoever may call it. */
  find(name: string): Tool | undefined;
  /** What a principal sees: the same for all that have the same scopes. */
  viewFor(principal: Pick<Principal, 'scopes'> | null): View;
}

/** The tools with their JSON Schemas, computed once. The view of each set of scopes is computed at its first use. */
export function catalogueOf(tools: readonly Tool[]): Catalogue {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = new Map(tools.map((tool) => [tool, listedTool(tool)]));
  const views = new Map<string, View>();
  const all = new Set(byName.keys());

  const viewFor: Catalogue['viewFor'] = (principal) => {
    const held = new Set(scopes.filter((scope) => principal?.scopes.has(scope)));
    const key = [...held].join(' ');
    const known = views.get(key);
    if (known) return known;
    const seen = tools.filter((tool) => lackingScopes(tool, { scopes: held }).length === 0);
    const view = {
      tools: seen.flatMap((tool) => listed.get(tool) ?? []),
      instructions: instructionsFor(new Set(seen.map(({ name }) => name)), all),
    };
    views.set(key, view);
    return view;
  };
  return { find: (name) => byName.get(name), viewFor };
}
