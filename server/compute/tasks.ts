import { durationSeconds, transcriptText } from '../../domain/captures/segments.ts';
import type { ReadTranscript, TranscriptFormat } from '../../domain/media.ts';
import type { EngineRequest } from '../../engine/engine.ts';
import { offlineEngine } from '../../engine/offline/index.ts';
import type { CaptureMaterial } from '../../engine/writer/captures/shapes.ts';
import { offlineWriter } from '../../engine/writer/offline.ts';
import type { ChatLine, RunFacts, WorkedTodo } from '../../engine/writer/writer.ts';
import { readTranscript } from '../../media/transcripts/index.ts';

/** Never aborted: work in a process runs to its end, or the process is ended. */
const { signal } = new AbortController();

/** The pure work that takes time, by name. Arguments and results are copied between processes (structured clone). */
export const tasks = {
  /** The next step of the offline engine. */
  answer: (request: Pick<EngineRequest, 'purpose' | 'system' | 'conversation' | 'tools' | 'facts'>) =>
    offlineEngine.answer({ ...request, signal }),
  title: (message: string) => offlineWriter.title(message, signal),
  subtitle: (title: string | null, lines: readonly ChatLine[]) => offlineWriter.subtitle({ title, lines }, signal),
  skillSummary: (name: string, instructions: string | null) => offlineWriter.skillSummary(name, instructions, signal),
  minutesSaved: (todo: WorkedTodo, run: RunFacts) => offlineWriter.minutesSaved(todo, run, signal),
  capture: (material: CaptureMaterial) => offlineWriter.capture(material, { signal }),
  /** The text of a transcript: copying its segments would take longer than joining them. @throws Failure 400. */
  transcript: async (format: TranscriptFormat, body: string, param: string): Promise<ReadTranscript> => {
    const segments = readTranscript(format, body, param);
    return { text: transcriptText(segments), durationSeconds: durationSeconds(segments) };
  },
};

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type Arguments<Name extends TaskName> = Parameters<Tasks[Name]>;
export type Outcome<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
