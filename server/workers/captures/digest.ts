import type { CaptureClaim } from '../../../domain/captures/processing/claims.ts';
import {
  addPoints,
  type CaptureContext,
  pointsFound,
  save,
  setDigest,
} from '../../../domain/captures/processing/saves.ts';
import { writeSearch } from '../../../domain/captures/search.ts';
import { suggestTodos } from '../../../domain/todos/suggest.ts';
import { hasMinutes } from '../../../domain/usage/minutes.ts';
import type { PartPoints, SavedPoints } from '../../../engine/writer/captures/shapes.ts';
import { isLeftOut, type RecordingPlace, recordingPrefix } from '../../../media/storage/keys.ts';
import type { AudioStore } from '../../../media/storage/store.ts';
import { type CaptureFacts, peopleOf } from './facts.ts';
import { Hopeless } from './fault.ts';
import type { CaptureParts, StepOutcome } from './parts.ts';

/** @throws Hopeless: without minutes nothing is asked. */
export async function requireFunds({ db }: Pick<CaptureContext, 'db'>, workspaceId: string): Promise<void> {
  if (await hasMinutes(db, workspaceId)) return;
  const message = 'The workspace has no agent minutes left. Try again with retryCapture once it has some.';
  throw new Hopeless({ code: 'insufficient_minutes', message, retryable: true });
}

const shownParts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;

/** Date and time of an instant in a time zone. */
function localTime(at: string, timezone: string): { date: string; time: string } {
  const shown = new Intl.DateTimeFormat('en-CA', { ...shownParts, hourCycle: 'h23', timeZone: timezone });
  const of = Object.fromEntries(shown.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  return { date: `${of.year}-${of.month}-${of.day}`, time: `${of.hour}:${of.minute}` };
}

/** What a person reads of parts that are in neither the audio nor the transcript; null where there are none. */
async function aboutLeftOut(store: AudioStore, place: RecordingPlace): Promise<string | null> {
  const count = (await store.list(recordingPrefix(place))).filter(isLeftOut).length;
  if (count === 0) return null;
  const [what, it] =
    count === 1 ? ['One part of the recording is', 'it'] : [`${count} parts of the recording are`, 'they'];
  return `*${what} missing here: ${it} could not be joined with the rest. The audio is kept; ask the operator of the service for it.*`;
}

/** The other parts of a long capture are left to its next turn. */
class TurnOver extends Error {}

/** Asks the writer; each part of a long text is saved and charged by itself. @throws TurnOver, Hopeless */
async function write(
  { ctx, writer }: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  names: string[],
  signal: AbortSignal,
  isTurn: () => boolean,
) {
  const { date, time } = localTime(facts.at, facts.timezone);
  let activeMs = 0;
  const onActive = (ms: number) => {
    activeMs += ms;
  };
  const saved: SavedPoints = {
    read: async () => {
      const found = await pointsFound(ctx.db, claim);
      return new Map(found.map(({ key, points }) => [key, points as PartPoints]));
    },
    save: async (key, points) => {
      await save(ctx, claim, activeMs, (db) => addPoints(db, claim, key, points));
      activeMs = 0;
      if (!isTurn()) throw new TurnOver();
      await requireFunds(ctx, claim.workspaceId);
    },
  };
  const { type, title, notes } = facts;
  const material = { type, title, text: facts.content ?? facts.transcript, notes, date, people: names };
  const digest = await writer.capture(material, { signal, onActive, saved });
  const untitled = type === 'recording' ? `Recording of ${date}, ${time}` : null;
  return { digest: { ...digest, title: digest.title ?? untitled }, activeMs };
}

/**
 * Writes about a capture: title, subtitle, summary and suggested todos land together, and complete it. When the turn is
 * over, the next parts of a long one are left to the next turn.
 */
export async function digestStep(
  parts: CaptureParts,
  claim: CaptureClaim,
  facts: CaptureFacts,
  signal: AbortSignal,
  isTurn: () => boolean,
): Promise<StepOutcome> {
  const { ctx, store } = parts;
  const { workspaceId } = claim;
  const { recordingId } = facts;
  await requireFunds(ctx, workspaceId);
  const missing = recordingId === null ? null : await aboutLeftOut(store, { workspaceId, recordingId });
  const people = await peopleOf(ctx.db, workspaceId);
  const names = people.map(({ name }) => name);
  const written = await write(parts, claim, facts, names, signal, isTurn).catch((error: unknown) => {
    if (error instanceof TurnOver) return null;
    throw error;
  });
  if (!written) return 'next';
  const { activeMs } = written;
  const summary = [written.digest.summary, missing].filter(Boolean).join('\n\n') || null;
  const digest = { ...written.digest, summary };
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
