import { quotesCaptures } from '../../domain/chats/quotations.ts';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { endsTransaction, type Failure, translate } from '../../domain/errors.ts';
import type { ToolMeta } from '../../domain/operations.ts';
import type { Tool } from '../operations.ts';
import { answerTo, errorOf } from './answer.ts';
import { listedTool } from './list.ts';

/** What a tool call came to, for the model: no nulls, long texts cut and saying so. */
export interface ToolOutcome {
  isError: boolean;
  output: unknown;
  truncated: boolean;
  /** Whether the output may quote captures. */
  quotesCaptures?: boolean;
}

/** A tool of an agent at work: the same as MCP's, called inside the transaction of a step. */
export interface AgentTool {
  meta: ToolMeta;
  declaration: { name: string; description: string; inputSchema: Record<string, unknown> };
  /** Whether the arguments have the shape that the tool takes: no approval is requested for a call that cannot work. */
  accepts(input: unknown): boolean;
  /**
   * Runs the tool for `ctx.principal`. If it fails, what it did is undone, and the failure is the result.
   * @throws the database error that ends the whole transaction (deadlock, lost connection).
   */
  call(ctx: AuthenticatedContext, input: unknown): Promise<ToolOutcome>;
}

/** Arguments that make no sense inside a transaction. */
const withheld = ['waitSeconds'];

function declarationOf(tool: Tool): AgentTool['declaration'] {
  const { name, description, inputSchema } = listedTool(tool);
  const properties = { ...(inputSchema.properties as Record<string, unknown> | undefined) };
  for (const argument of withheld) delete properties[argument];
  return { name, description, inputSchema: { ...inputSchema, properties } };
}

type Report = (failure: Failure) => void;

async function run(tool: Tool, ctx: AuthenticatedContext, input: unknown, report: Report): Promise<ToolOutcome> {
  try {
    const answer = await ctx.db.transaction((db) => answerTo(tool, { ...ctx, db }, input));
    const output = answer.structuredContent as Record<string, unknown>;
    const quotes = quotesCaptures(tool.scopes, output);
    return { isError: false, output, truncated: 'truncated' in output, quotesCaptures: quotes };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    const failure = translate(error);
    if (failure.problem.status >= 500) report(failure);
    const { structuredContent } = errorOf(tool, failure, ctx);
    return { isError: true, output: structuredContent, truncated: false };
  }
}

/** The tools of agents by name, in the order of `tools`. Failures of ours go to `report`. */
export function agentToolsOf(tools: readonly Tool[], report: Report): ReadonlyMap<string, AgentTool> {
  return new Map(
    tools.map((tool) => {
      const { input: shape, call: _, ...meta } = tool;
      let declaration: AgentTool['declaration'] | undefined;
      const agentTool: AgentTool = {
        meta,
        // Made for the first turn: JSON Schemas of all tools take longer than the rest of the start.
        get declaration() {
          declaration ??= declarationOf(tool);
          return declaration;
        },
        accepts: (input) => shape.safeParse(input).success,
        call: (ctx, input) => run(tool, ctx, input, report),
      };
      return [tool.name, agentTool];
    }),
  );
}
