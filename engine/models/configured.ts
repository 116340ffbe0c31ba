import type { Logger } from 'pino';
import { atFirstUse } from '../../domain/first-use.ts';
import { type Engine, type Purpose, purposes } from '../engine.ts';
import type { ModelsConfig } from './engines.ts';
import { modelAddresses } from './settings.ts';

/**
 * The engines of the purposes that a model is configured for, as `createEngines` makes them: the libraries of the
 * models are loaded for the first answer.
 */
export function configuredEngines(config: ModelsConfig, log: Logger): Partial<Record<Purpose, Engine>> {
  const { addresses } = modelAddresses(config);
  const loaded = atFirstUse(async () => (await import('./engines.ts')).createEngines(config, log));
  const engines: Partial<Record<Purpose, Engine>> = {};
  for (const purpose of purposes) {
    const address = addresses[purpose];
    if (address === undefined) continue;
    const answer: Engine['answer'] = async (request) => {
      request.signal.throwIfAborted();
      const engine = (await loaded())[purpose];
      if (!engine) throw new Error(`No model is configured for ${purpose}`);
      return engine.answer(request);
    };
    engines[purpose] = { name: address.model, answer };
  }
  const names = Object.fromEntries(Object.entries(engines).map(([purpose, { name }]) => [purpose, name]));
  if (purposes.some((purpose) => purpose in engines)) log.info({ models: names }, 'models configured');
  return engines;
}
