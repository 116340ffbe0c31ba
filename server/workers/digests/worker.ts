import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import { agentOfSkill, findSkill } from '../../../domain/agents/skill-rows.ts';
import { saveSkillSummary } from '../../../domain/agents/skill-update.ts';
import type { MessageBlock } from '../../../domain/chats/shapes.ts';
import { setSubtitle, setTitle } from '../../../domain/chats/titles.ts';
import { Failure } from '../../../domain/errors.ts';
import { type DigestRef, LostLease } from '../../../domain/jobs.ts';
import { estimateFacts, setMinutesSaved } from '../../../domain/todos/minutes-saved.ts';
import { hasMinutes } from '../../../domain/usage/minutes.ts';
import type { ChatLine, RunFacts, Writer } from '../../../engine/writer/writer.ts';
import { TaskLimit } from '../../compute/task-process.ts';
import type { Handler } from '../queue/loop.ts';
import { type DigestClaim, maxTries } from './leases.ts';

/** How many of the latest messages a text is written from. */
const maxMessages = 200;

interface MessageRow {
  role: 'user' | 'agent' | 'system';
  text: string;
  blocks: MessageBlock[];
}

const firstText = `select m.text from messages m where m.workspace_id = $1 and m.chat_id = $2 and m.sequence = 1`;
const latestMessages = (chats: string, more = '') => `select *${more} from (
    select m.role, m.text, m.blocks, m.created_at, m.chat_id, m.sequence from messages m
    where m.workspace_id = $1 and m.chat_id in (${chats})
    order by m.created_at desc, m.sequence desc limit ${maxMessages}
  ) latest order by created_at, chat_id, sequence`;
const messagesOfChat = latestMessages(
  'select $2::uuid',
  ', (select c.title from chats c where c.workspace_id = $1 and c.id = $2) as title',
);
const messagesOfTodo = latestMessages('select c.id from chats c where c.workspace_id = $1 and c.todo_id = $2');

function linesOf(messages: readonly MessageRow[]): ChatLine[] {
  return messages.flatMap(({ role, text, blocks }) =>
    role !== 'system' && blocks.some(({ type }) => type === 'text') ? { role, text } : [],
  );
}

function toolCallsOf(messages: readonly MessageRow[]): RunFacts['toolCalls'] {
  const blocks = messages.flatMap((message) => message.blocks);
  const failed = new Set(
    blocks.flatMap((each) => (each.type === 'tool_result' && each.isError ? each.toolCallId : [])),
  );
  return blocks.flatMap((each) => (each.type === 'tool_call' ? { name: each.name, isError: failed.has(each.id) } : []));
}

const held = `select 1 from digests
  where workspace_id = $1 and kind = $2 and subject_id = $3 and attempt = $4 and worker_id is not null for share`;

/**
 * Saves a text while the claim is held. The claim is locked last, in the order in which a change of the resource asks
 * for a new text. @throws LostLease when the text was asked for again or claimed by another worker: nothing is saved
 * then.
 */
async function saveFenced(db: Db, claim: DigestClaim, save: (tx: Db) => Promise<unknown>): Promise<void> {
  const { workspaceId, kind, id, attempt } = claim;
  await db.transaction(async (tx) => {
    await save(tx);
    if ((await tx.rows(held, [workspaceId, kind, id, attempt])).length === 0) throw new LostLease();
  });
}

/** Makes the text of a digest. Returns what saves it; undefined when there is nothing to save. */
type Write = (
  db: Db,
  writer: Writer,
  ref: DigestRef,
  signal: AbortSignal,
) => Promise<((tx: Db) => Promise<unknown>) | undefined>;

const writes: Record<DigestRef['kind'], Write> = {
  chat_title: async (db, writer, { workspaceId, id }, signal) => {
    const [message] = await db.rows<{ text: string }>(firstText, [workspaceId, id]);
    if (!message) return;
    const title = await writer.title(message.text, signal);
    return (tx) => setTitle({ db: tx }, { workspaceId, chatId: id, title });
  },

  chat_subtitle: async (db, writer, { workspaceId, id }, signal) => {
    const messages = await db.rows<MessageRow & { title: string | null }>(messagesOfChat, [workspaceId, id]);
    const [first] = messages;
    if (!first) return;
    const chat = { title: first.title, lines: linesOf(messages) };
    const subtitle = await writer.subtitle(chat, signal);
    return (tx) => setSubtitle({ db: tx }, { workspaceId, chatId: id, subtitle });
  },

  skill_summary: async (db, writer, { workspaceId, id }, signal) => {
    const agentId = await agentOfSkill(db, workspaceId, id);
    const { name, instructions } = await findSkill(db, workspaceId, agentId, id);
    if (instructions === null) return;
    const summary = await writer.skillSummary(name, instructions, signal);
    return (tx) => saveSkillSummary(tx, workspaceId, id, { instructions, summary });
  },

  minutes_saved: async (db, writer, { workspaceId, id }, signal) => {
    const facts = await estimateFacts({ db }, { workspaceId, todoId: id });
    // An agent that completed the todo is still at work: the end of its run asks again.
    if (!facts || facts.runs.some(({ status }) => status === 'running')) return;
    const messages = await db.rows<MessageRow>(messagesOfTodo, [workspaceId, id]);
    const run: RunFacts = {
      minutesUsed: facts.runs.reduce((sum, { minutesUsed }) => sum + minutesUsed, 0),
      toolCalls: toolCallsOf(messages),
      lines: linesOf(messages),
    };
    const estimate = await writer.minutesSaved(facts, run, signal);
    return (tx) => setMinutesSaved({ db: tx }, { workspaceId, todoId: id, ...estimate });
  },
};

interface Writers {
  writer: Writer;
  /** Asks no model, whatever is configured. */
  offlineWriter: Writer;
}

/** Skills are changed without an agent at work: where no minutes are left, no model is asked for their summaries. */
async function writerFor(
  db: Db,
  { writer, offlineWriter }: Writers,
  { kind, workspaceId }: DigestRef,
): Promise<Writer> {
  return kind === 'skill_summary' && !(await hasMinutes(db, workspaceId)) ? offlineWriter : writer;
}

/**
 * Writes titles, summaries and estimates. Nothing is written of what is gone. What failed `maxTries` times, or takes a
 * compute process too long, is given up: the next change asks for it again.
 */
export function digestHandler(db: Db, writers: Writers, log: Logger): Handler<DigestClaim> {
  return async (claim, { signal }) => {
    const { kind, workspaceId, id, tries } = claim;
    // The process of the last try died.
    if (tries > maxTries) return log.error({ kind, workspaceId, id }, 'digest failed for good');
    try {
      const writer = await writerFor(db, writers, claim);
      const save = await writes[kind](db, writer, claim, signal);
      if (save) await saveFenced(db, claim, save);
    } catch (error) {
      if (error instanceof Failure && error.problem.status === 404) return;
      if (error instanceof TaskLimit) {
        return log.error({ kind, workspaceId, id, limit: error.limit }, 'digest failed for good');
      }
      const isLast = tries >= maxTries && !signal.aborted && !(error instanceof LostLease);
      if (!isLast) throw error;
      log.error({ err: error, kind, workspaceId, id }, 'digest failed for good');
    }
  };
}
