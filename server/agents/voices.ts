import type { Logger } from 'pino';
import { builtInEngine } from './built-in/index.ts';
import { type Engine, ModelFault, type Purpose } from './engine.ts';
import { builtInWriter, modelWriter, type Writer } from './writer/index.ts';

/** Who answers for the agents, and who writes titles, summaries and estimates. */
export interface Voices {
  engine: Engine;
  writer: Writer;
}

/** The models that are configured; the built-in engine and writer for every purpose that has none. */
export function voicesOf(engines: Partial<Record<Purpose, Engine>>, log: Logger): Voices {
  const report = (fault: unknown) => {
    const reason = fault instanceof ModelFault ? fault.message : String(fault);
    log.warn({ reason }, 'a model failed to write a text; the built-in writer wrote it');
  };
  const engineFor = (purpose: Purpose) => engines[purpose] ?? builtInEngine;
  const model = modelWriter({ engineFor, fallback: builtInWriter, report });
  const by = (purpose: Purpose) => (engines[purpose] ? model : builtInWriter);
  return {
    engine: engineFor('turn'),
    writer: {
      title: (...rest) => by('titles').title(...rest),
      subtitle: (...rest) => by('summaries').subtitle(...rest),
      skillSummary: (...rest) => by('summaries').skillSummary(...rest),
      capture: (...rest) => by('summaries').capture(...rest),
      minutesSaved: (...rest) => by('estimates').minutesSaved(...rest),
    },
  };
}
