import type { Logger } from 'pino';
import { agentToolsOf } from '../../adapters/agent-tools.ts';
import { toolsOf } from '../../adapters/operations.ts';
import type { Context } from '../../routers/base.ts';
import type { Claim } from '../../routers/chats/steps.ts';
import { toolRouter } from '../../routers/index.ts';
import { lackingScopes } from '../../routers/tool.ts';
import type { Config } from '../config.ts';
import type { Handlers } from '../jobs/work.ts';
import type { LiveNews } from '../live/index.ts';
import { deltaSender } from './deltas.ts';
import { digestWorker } from './digests.ts';
import { factsOf } from './facts.ts';
import type { TurnLimits, TurnParts } from './parts.ts';
import { conversationOf, newNonce, promptOf } from './prompt/index.ts';
import type { Voices } from './voices.ts';
import { turnWorker } from './worker.ts';

export interface AgentParts {
  config: Pick<Config, 'TURN_MINUTES' | 'TURN_STEPS'>;
  log: Logger;
  /** What every call of a tool gets of the service. */
  context: TurnParts['context'];
  live: LiveNews;
  voices: Voices;
  /** Instead of those of the configuration. */
  turnLimits?: Partial<TurnLimits> | undefined;
}

/** What the workers do for a turn, and for the texts around it. */
export function agentsAtWork({
  config,
  log,
  context,
  live,
  voices,
  turnLimits,
}: AgentParts): Pick<Handlers, 'onTurn' | 'onDigest'> {
  const tools = agentToolsOf(toolsOf(toolRouter), (failure) =>
    log.error({ err: failure.cause ?? failure }, 'a tool of an agent failed'),
  );
  const nonces = new WeakMap<Claim, string>();
  const nonceOf = (claim: Claim) => {
    const nonce = nonces.get(claim) ?? newNonce();
    nonces.set(claim, nonce);
    return nonce;
  };
  const prepare: TurnParts['prepare'] = async (claim, messages) => {
    const nonce = nonceOf(claim);
    const facts = await factsOf(context.db, claim, context.clock(), nonce);
    const granted = { scopes: new Set(claim.scopes) };
    const declared = [...tools.values()].filter(({ meta }) => lackingScopes(meta, granted).length === 0);
    const agentNames = new Map(facts.workspace.agents.map(({ id, name }) => [id, name]));
    return {
      agent: facts.agent,
      request: {
        purpose: 'turn',
        system: promptOf(facts).system,
        conversation: conversationOf(messages, { nonce, agentNames }),
        tools: declared.map(({ declaration }) => declaration),
        facts,
      },
    };
  };
  const limits = { activeMs: config.TURN_MINUTES * 60_000, answers: config.TURN_STEPS, ...turnLimits };
  const deltas = deltaSender(live);
  return {
    onTurn: turnWorker({ context, log, tools, limits, engine: voices.engine, prepare, deltas }),
    onDigest: digestWorker(context.db, voices.writer),
  };
}

/** The context of tools: what a request would bring is empty. */
export function contextOfAgents(
  world: Pick<Context, 'db' | 'jobs' | 'live' | 'clock' | 'service' | 'mail' | 'media'>,
): TurnParts['context'] {
  return {
    ...world,
    badCredential: false,
    operations: [],
    idempotencyKey: undefined,
    ifMatch: undefined,
    client: { addressHash: Buffer.alloc(32), name: 'agent' },
    // An agent never waits: its calls run inside a transaction.
    closing: AbortSignal.abort(),
  };
}
