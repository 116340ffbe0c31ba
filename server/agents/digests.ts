import type { Db } from '../../db/client.ts';
import { agentOfSkill, findSkill } from '../../routers/agents/skill-rows.ts';
import { saveSkillSummary } from '../../routers/agents/skill-update.ts';
import type { MessageBlock } from '../../routers/chats/shapes.ts';
import { setSubtitle, setTitle } from '../../routers/chats/titles.ts';
import { Failure } from '../../routers/errors.ts';
import type { DigestRef } from '../../routers/jobs.ts';
import { estimateFacts, setMinutesSaved } from '../../routers/todos/minutes-saved.ts';
import type { Line, RunFacts, Writer } from './writer/index.ts';

/** How many of the latest messages a text is written from. */
const mostMessages = 200;

interface Said {
  role: 'user' | 'agent' | 'system';
  text: string;
  blocks: MessageBlock[];
}

const firstText = `select m.text from messages m where m.workspace_id = $1 and m.chat_id = $2 and m.sequence = 1`;
const said = (chats: string, more = '') => `select *${more} from (
    select m.role, m.text, m.blocks, m.created_at, m.chat_id, m.sequence from messages m
    where m.workspace_id = $1 and m.chat_id in (${chats})
    order by m.created_at desc, m.sequence desc limit ${mostMessages}
  ) latest order by created_at, chat_id, sequence`;
const saidInChat = said(
  'select $2::uuid',
  ', (select c.title from chats c where c.workspace_id = $1 and c.id = $2) as title',
);
const saidForTodo = said('select c.id from chats c where c.workspace_id = $1 and c.todo_id = $2');

function linesOf(messages: readonly Said[]): Line[] {
  return messages.flatMap(({ role, text, blocks }) =>
    role !== 'system' && blocks.some(({ type }) => type === 'text') ? { role, text } : [],
  );
}

function toolCallsOf(messages: readonly Said[]): RunFacts['toolCalls'] {
  const blocks = messages.flatMap((message) => message.blocks);
  const failed = new Set(
    blocks.flatMap((each) => (each.type === 'tool_result' && each.isError ? each.toolCallId : [])),
  );
  return blocks.flatMap((each) => (each.type === 'tool_call' ? { name: each.name, isError: failed.has(each.id) } : []));
}

type Write = (db: Db, writer: Writer, ref: DigestRef, signal: AbortSignal) => Promise<unknown>;

const writes: Record<DigestRef['kind'], Write> = {
  chat_title: async (db, writer, { workspaceId, id }, signal) => {
    const [message] = await db.rows<{ text: string }>(firstText, [workspaceId, id]);
    if (message) await setTitle(db, workspaceId, id, await writer.title(message.text, signal));
  },

  chat_subtitle: async (db, writer, { workspaceId, id }, signal) => {
    const messages = await db.rows<Said & { title: string | null }>(saidInChat, [workspaceId, id]);
    const [first] = messages;
    if (!first) return;
    const chat = { title: first.title, lines: linesOf(messages) };
    await setSubtitle(db, workspaceId, id, await writer.subtitle(chat, signal));
  },

  skill_summary: async (db, writer, { workspaceId, id }, signal) => {
    const agentId = await agentOfSkill(db, workspaceId, id);
    const { name, instructions } = await findSkill(db, workspaceId, agentId, id);
    if (instructions === null) return;
    const summary = await writer.skillSummary(name, instructions, signal);
    await saveSkillSummary(db, workspaceId, id, { instructions, summary });
  },

  minutes_saved: async (db, writer, { workspaceId, id }, signal) => {
    const facts = await estimateFacts(db, workspaceId, id);
    // An agent that completed the todo is still at work: the end of its run asks again.
    if (!facts || facts.runs.some(({ status }) => status === 'running')) return;
    const messages = await db.rows<Said>(saidForTodo, [workspaceId, id]);
    const run: RunFacts = {
      minutesUsed: facts.runs.reduce((sum, { minutesUsed }) => sum + minutesUsed, 0),
      toolCalls: toolCallsOf(messages),
      lines: linesOf(messages),
    };
    await setMinutesSaved(db, workspaceId, id, await writer.minutesSaved(facts, run, signal));
  },
};

/**
 * Writes titles, summaries and estimates. A thing that is gone needs none. What it throws is the queue's to try again.
 */
export function digestWorker(db: Db, writer: Writer): (ref: DigestRef, signal: AbortSignal) => Promise<void> {
  return async (ref, signal) => {
    try {
      await writes[ref.kind](db, writer, ref, signal);
    } catch (error) {
      if (!(error instanceof Failure && error.problem.status === 404)) throw error;
    }
  };
}
