import type { CaptureClaim } from '../../../domain/captures/processing/claims.ts';
import { type CaptureContext, save, setDigest } from '../../../domain/captures/processing/saves.ts';
import { writeSearch } from '../../../domain/captures/search.ts';
import { suggestTodos } from '../../../domain/todos/suggest.ts';
import { hasMinutes } from '../../../domain/usage/minutes.ts';
import type { CaptureDigest } from '../../../engine/writer/captures/shapes.ts';
import type { Writer } from '../../../engine/writer/writer.ts';
import { type CaptureFacts, peopleOf } from './facts.ts';
import { Hopeless } from './fault.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';

/** @throws Hopeless: without minutes nothing is asked. */
export async function requireFunds({ db }: Pick<CaptureContext, 'db'>, workspaceId: string): Promise<void> {
  if (await hasMinutes(db, workspaceId)) return;
  const message = 'The workspace has no agent minutes left. Try again with retryCapture once it has some.';
  throw new Hopeless({ code: 'insufficient_minutes', message, retryable: true });
}

const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;

/** Date and time of an instant in a time zone. */
function localTime(at: string, timezone: string): { date: string; time: string } {
  const shown = new Intl.DateTimeFormat('en-CA', { ...parts, hourCycle: 'h23', timeZone: timezone });
  const of = Object.fromEntries(shown.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  return { date: `${of.year}-${of.month}-${of.day}`, time: `${of.hour}:${of.minute}` };
}

async function write(writer: Writer, facts: CaptureFacts, names: string[], signal: AbortSignal) {
  const { date, time } = localTime(facts.at, facts.timezone);
  let activeMs = 0;
  const { type, title, notes } = facts;
  const material = { type, title, text: facts.content ?? facts.transcript, notes, date, people: names };
  const digest: CaptureDigest = await writer.capture(material, { signal, onActive: (ms) => (activeMs += ms) });
  const untitled = type === 'recording' ? `Recording of ${date}, ${time}` : null;
  return { digest: { ...digest, title: digest.title ?? untitled }, activeMs };
}

/** Writes about a capture: title, subtitle, summary and suggested todos land together, and complete it. */
export async function digestStep(
  { ctx, writer }: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { workspaceId } = claim;
  await requireFunds(ctx, workspaceId);
  const people = await peopleOf(ctx.db, workspaceId);
  const names = people.map(({ name }) => name);
  const { digest, activeMs } = await write(writer, facts, names, signal);
  await save(ctx, claim, activeMs, async (db) => {
    const todos = digest.todos.map(({ assignee, ...todo }) => ({
      ...todo,
      assigneeUserId: people.find(({ name }) => name === assignee)?.id ?? null,
    }));
    await suggestTodos({ db }, { ...claim, todos });
    await setDigest(db, claim, digest);
    await writeSearch(db, claim);
  });
  return 'done';
}
