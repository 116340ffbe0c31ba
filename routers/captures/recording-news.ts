import type { Db } from '../../db/client.ts';

/** The channel of NOTIFY that carries `RecordingNews` as JSON. */
export const recordingsChannel = 'tandem_recordings';

/**
 * Something happened to a recording that the process with its connection should look at: it was stopped, erased, or
 * another connection holds it. `letGo`: that connection writes no audio of it any more.
 */
export interface RecordingNews {
  recordingId: string;
  letGo?: string;
}

/** Tells all processes once the transaction commits. What is lost is found out within a few seconds. */
export async function tellIntake(tx: Db, news: RecordingNews): Promise<void> {
  await tx.rows('select pg_notify($1, $2)', [recordingsChannel, JSON.stringify(news)]);
}
