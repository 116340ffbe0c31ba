import type { Logger } from 'pino';
import type { Engine, Purpose } from '../engine/engine.ts';
import { offlineEngine } from '../engine/offline/index.ts';
import { modelWriter } from '../engine/writer/model.ts';
import { offlineWriter } from '../engine/writer/offline.ts';
import type { Writer } from '../engine/writer/writer.ts';
import { traced } from './tracing/spans.ts';

/** The engine of the agents, and the writer of titles, summaries and estimates. */
interface EngineAndWriter {
  engine: Engine;
  writer: Writer;
}

/** Those of the configuration. */
export interface EngineSelection extends EngineAndWriter {
  /** Asks no model, whatever is configured. */
  offlineWriter: Writer;
}

/** The engine, with a span for each of its answers: its tries and their requests are below it. */
export function tracedEngine(engine: Engine): Engine {
  const options = { attributes: { 'gen_ai.request.model': engine.name } };
  return {
    name: engine.name,
    answer: (request) => traced(`model ${request.purpose}`, options, () => engine.answer(request)),
  };
}

/** The models that are configured; the `offline` engine and writer for every purpose that has none. */
export function selectEngines(
  engines: Partial<Record<Purpose, Engine>>,
  log: Logger,
  offline: EngineAndWriter = { engine: offlineEngine, writer: offlineWriter },
): EngineSelection {
  const onFault = (fault: unknown) => log.warn({ err: fault }, 'model writer failed, offline writer used');
  const engineFor = (purpose: Purpose) => tracedEngine(engines[purpose] ?? offline.engine);
  const model = modelWriter({ engineFor, fallback: offline.writer, onFault });
  const by = (purpose: Purpose) => (engines[purpose] ? model : offline.writer);
  return {
    engine: engineFor('turn'),
    offlineWriter: offline.writer,
    writer: {
      title: (...rest) => by('titles').title(...rest),
      subtitle: (...rest) => by('summaries').subtitle(...rest),
      skillSummary: (...rest) => by('summaries').skillSummary(...rest),
      capture: (...rest) => by('summaries').capture(...rest),
      minutesSaved: (...rest) => by('estimates').minutesSaved(...rest),
    },
  };
}
