import { z } from 'zod';
import { type Purpose, purposes } from '../engine.ts';
import { providerFields, type SettingFault } from '../providers/settings.ts';

/** The two protocols that models are asked in. */
export const protocols = ['openai-compatible', 'anthropic'] as const;

const fields = {
  PROVIDER: z.enum(protocols, { error: `must be ${protocols.join(' or ')}` }).optional(),
  BASE_URL: providerFields.baseUrl.optional(),
  API_KEY: providerFields.apiKey.optional(),
  MODEL: providerFields.model.optional(),
};
type Fields = typeof fields;

type Prefix = 'AI_' | `AI_${Uppercase<Purpose>}_`;
const prefixOf = (purpose: Purpose) => `AI_${purpose.toUpperCase()}_` as Prefix;
const prefixes: Prefix[] = ['AI_', ...purposes.map(prefixOf)];

type ModelEnvironment = {
  [Each in `${Prefix}${keyof Fields}`]: Each extends `${Prefix}${infer Field extends keyof Fields}`
    ? Fields[Field]
    : never;
};

/** The settings that select the model: `AI_PROVIDER`, `AI_TITLES_MODEL` and so on, each optional. */
export const modelEnvironment = Object.fromEntries(
  prefixes.flatMap((prefix) => Object.entries(fields).map(([name, schema]) => [`${prefix}${name}`, schema])),
) as ModelEnvironment;

/** The values of these settings. */
export type ModelSettings = { [Key in keyof ModelEnvironment]?: z.infer<ModelEnvironment[Key]> };

/** Where one purpose is answered. */
export interface ModelAddress {
  protocol: (typeof protocols)[number];
  baseUrl: string;
  /** A server in the own network may need none. */
  apiKey: string | undefined;
  model: string;
}

interface Lookup {
  addresses: Partial<Record<Purpose, ModelAddress>>;
  /** What is missing, by the setting that is to be added. */
  missing: SettingFault[];
}

const anthropicUrl = 'https://api.anthropic.com/v1';

/**
 * The settings of one purpose: its own, else the general ones. A key is sent only where it is meant for: a purpose with
 * another provider takes no general setting, and one with another host takes no general key.
 */
function settingsOf(given: ModelSettings, prefix: Prefix) {
  const own = (field: keyof Fields) => given[`${prefix}${field}`];
  const sameProvider = own('PROVIDER') === undefined || own('PROVIDER') === given.AI_PROVIDER;
  const general = (field: keyof Fields) => (sameProvider ? given[`AI_${field}`] : undefined);
  const baseUrl = own('BASE_URL') ?? general('BASE_URL');
  const generalUrl = given.AI_BASE_URL ?? anthropicUrl;
  const sameHost = baseUrl === undefined || new URL(baseUrl).origin === new URL(generalUrl).origin;
  return {
    provider: (own('PROVIDER') ?? given.AI_PROVIDER) as ModelAddress['protocol'] | undefined,
    baseUrl,
    apiKey: own('API_KEY') ?? (sameHost ? general('API_KEY') : undefined),
    model: own('MODEL') ?? general('MODEL'),
  };
}

function lookUp(given: ModelSettings, purpose: Purpose): Lookup {
  const own = prefixOf(purpose);
  const hasOwn = Object.keys(fields).some((field) => given[`${own}${field as keyof Fields}`] !== undefined);
  const prefix = hasOwn ? own : 'AI_';
  const hasAny = hasOwn || Object.keys(fields).some((field) => given[`AI_${field as keyof Fields}`] !== undefined);
  if (!hasAny) return { addresses: {}, missing: [] };
  const { provider, baseUrl, apiKey, model } = settingsOf(given, prefix);
  const missing: SettingFault[] = [];
  const miss = (field: keyof Fields, message: string) => missing.push({ setting: `${prefix}${field}`, message });
  if (provider === undefined) miss('PROVIDER', `is missing: set it to ${protocols.join(' or ')}`);
  if (provider !== undefined && model === undefined) miss('MODEL', 'is missing: set the name of the model');
  if (provider === 'openai-compatible' && baseUrl === undefined)
    miss('BASE_URL', 'is missing: set the address, without /chat/completions at its end');
  if (provider === 'anthropic' && apiKey === undefined) miss('API_KEY', 'is missing: Anthropic requires an API key');
  if (provider === undefined || model === undefined || missing.length > 0) return { addresses: {}, missing };
  return { addresses: { [purpose]: { protocol: provider, baseUrl: baseUrl ?? anthropicUrl, apiKey, model } }, missing };
}

/** The model of each purpose that is configured, and the settings that are missing for those configured in part. */
export function modelAddresses(given: ModelSettings): Lookup {
  const each = purposes.map((purpose) => lookUp(given, purpose));
  const missing = each.flatMap((lookup) => lookup.missing);
  return {
    addresses: Object.assign({}, ...each.map((lookup) => lookup.addresses)),
    missing: missing.filter(({ setting }, at) => missing.findIndex((other) => other.setting === setting) === at),
  };
}
