import type { Logger } from 'pino';
import { toolsOf } from '../adapters/operations.ts';
import { type AgentTool, agentToolsOf } from '../adapters/tools/agent-tools.ts';
import { mayQuote } from '../domain/chats/quotations.ts';
import type { RequestContext } from '../domain/context.ts';
import type { Claim } from '../domain/turns/steps.ts';
import { type ConversationOptions, conversationOf } from '../engine/prompt/conversation.ts';
import { newNonce } from '../engine/prompt/data.ts';
import { promptOf } from '../engine/prompt/system.ts';
import { toolRouter } from '../routers/tools/index.ts';
import { lackingScopes } from '../routers/tools/tool.ts';
import type { EngineSelection } from './engine-selection.ts';
import type { LiveChannel } from './pubsub/live.ts';
import { digestHandler } from './workers/digests/worker.ts';
import { deltaSender } from './workers/turns/deltas.ts';
import { factsOf } from './workers/turns/facts.ts';
import type { TurnLimits, TurnParts } from './workers/turns/parts.ts';
import { turnHandler } from './workers/turns/worker.ts';
import type { Handlers } from './workers/work.ts';

export interface AgentParts {
  config: { TURN_MINUTES: number; TURN_STEPS: number };
  log: Logger;
  /** The context of every call of a tool. */
  context: TurnParts['context'];
  live: LiveChannel;
  selection: EngineSelection;
  /** Instead of those of the configuration. */
  turnLimits?: Partial<TurnLimits> | undefined;
}

/** The handlers of turns, and of the texts about them. */
export function agentsAtWork({
  config,
  log,
  context,
  live,
  selection,
  turnLimits,
}: AgentParts): Pick<Handlers, 'onTurn' | 'onDigest'> {
  const tools = agentToolsOf(toolsOf(toolRouter), (failure) =>
    log.error({ err: failure.cause ?? failure }, 'agent tool failed'),
  );
  const nonces = new WeakMap<Claim, string>();
  const nonceOf = (claim: Claim) => {
    const nonce = nonces.get(claim) ?? newNonce();
    nonces.set(claim, nonce);
    return nonce;
  };
  const prepare: TurnParts['prepare'] = async (claim, messages) => {
    const nonce = nonceOf(claim);
    const { facts, ...allowed } = await factsOf(context.db, claim, context.clock(), nonce);
    const granted = { scopes: new Set(allowed.scopes) };
    const isAllowed = ({ meta }: AgentTool) => lackingScopes(meta, granted).length === 0;
    const declared = [...tools.values()].filter(isAllowed);
    const readsCaptures = granted.scopes.has('captures:read');
    const isHidden: ConversationOptions['isHidden'] = (name, outcome) => {
      const tool = tools.get(name);
      if (tool !== undefined && !isAllowed(tool)) return true;
      return !readsCaptures && !outcome.isError && mayQuote(outcome, tool?.meta.scopes);
    };
    const agentNames = new Map(facts.workspace.agents.map(({ id, name }) => [id, name]));
    return {
      agent: facts.agent,
      ...allowed,
      request: (share) => ({
        purpose: 'turn',
        system: promptOf(facts, share).system,
        conversation: conversationOf(messages, { nonce, agentNames, isHidden, share }),
        tools: declared.map(({ declaration }) => declaration),
        facts,
      }),
    };
  };
  const limits = { activeMs: config.TURN_MINUTES * 60_000, answers: config.TURN_STEPS, ...turnLimits };
  const deltas = deltaSender(live);
  return {
    onTurn: turnHandler({ context, log, tools, limits, engine: selection.engine, prepare, deltas }),
    onDigest: digestHandler(context.db, selection, log),
  };
}

/** The context of tools: what only a request has is empty. */
export function contextOfAgents(
  ctx: Pick<RequestContext, 'db' | 'live' | 'logs' | 'clock' | 'service' | 'mail' | 'media' | 'observe'>,
): TurnParts['context'] {
  return {
    ...ctx,
    badCredential: false,
    operations: [],
    idempotencyKey: undefined,
    ifMatch: undefined,
    client: { addressHash: Buffer.alloc(32), name: 'agent' },
    // What an agent did and was refused is in its chat.
    recordSecurityEvent: () => {},
    // An agent never waits: its calls run inside a transaction.
    closing: AbortSignal.abort(),
  };
}
