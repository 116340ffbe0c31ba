import { createContext, useContext } from 'react';
import type { CommandContext } from './command.ts';
import { commandOf } from './commands.ts';
import { ariaKeys, shownKeys } from './keys.ts';

/** What commands act on; set by the CommandCenter. */
export const ContextOfCommands = createContext<CommandContext | null>(null);

/** What commands act on. @throws Error outside of a CommandCenter. */
export function useCommandContext(): CommandContext {
  const context = useContext(ContextOfCommands);
  if (!context) throw new Error('Commands need a CommandCenter around them.');
  return context;
}

/** The attributes of a control of a command: its name and keys as a tooltip, and the keys for its own line. */
export function tipOf(id: string): { title: string; 'data-keys'?: string; 'aria-keyshortcuts'?: string } {
  const { title, keys } = commandOf(id);
  if (keys === undefined) return { title };
  const shown = shownKeys(keys).join(' ');
  const aria = ariaKeys(keys);
  return { title: `${title}: ${shown}`, 'data-keys': shown, ...(aria !== undefined && { 'aria-keyshortcuts': aria }) };
}
