import type { Context } from '../context.ts';
import type { MessageAnswer, MessageBlock } from './shapes.ts';

/** What a tool needs: it can be called with these scopes. */
type Needs = readonly string[];

/** Of the output of a tool in a chat, for a credential that may not read captures. */
const hidden = { note: 'This output is not shown: it may quote captures, and the credential lacks captures:read.' };

const isOfCaptures = (scopes: Needs) => scopes.some((scope) => scope.startsWith('captures:'));

/**
 * An output that contains an output: JSON in a text, which is what a shortened output becomes, has its quotes escaped.
 */
const quotes = /quotesCaptures\\*":true/;

/**
 * Whether the output of a tool with these scopes may quote captures: what they say, or what another chat quotes of
 * them.
 */
export function quotesCaptures(scopes: Needs, output: unknown): boolean {
  return isOfCaptures(scopes) || quotes.test(JSON.stringify(output) ?? '');
}

/**
 * Whether a stored output may quote captures. Earlier releases did not store this: then it depends on the scopes of the
 * tool, or is unknown (undefined) if the tool is not known.
 */
export function mayQuote(
  { quotesCaptures }: { quotesCaptures?: boolean | undefined },
  scopes: Needs | undefined,
): boolean {
  if (quotesCaptures !== undefined) return quotesCaptures;
  return scopes === undefined || isOfCaptures(scopes) || scopes.some((scope) => scope.startsWith('chats:'));
}

/**
 * These messages of one chat as the credential may read them: without the outputs that quote captures it may not read.
 */
export function readable(
  { principal, service }: Pick<Context, 'principal' | 'service'>,
  messages: MessageAnswer[],
): MessageAnswer[] {
  if (principal.scopes.has('captures:read')) return messages;
  const names = new Map<string, string>();
  return messages.map((message) => {
    const blocks = message.blocks.map((block): MessageBlock => {
      if (block.type === 'tool_call') names.set(block.id, block.name);
      if (block.type !== 'tool_result') return block;
      const scopes = service.tools?.get(names.get(block.toolCallId) ?? '')?.scopes;
      return mayQuote(block, scopes) ? { ...block, quotesCaptures: false, output: hidden } : block;
    });
    return { ...message, blocks };
  });
}
