import { z } from 'zod';
import { providerFields, type SettingFault } from '../../engine/providers/settings.ts';

/** In what an endpoint may be asked to answer. `auto` finds out what it can do. */
const responseFormats = ['auto', 'verbose_json', 'diarized_json', 'json', 'text', 'srt', 'vtt'] as const;
export type ResponseFormat = Exclude<(typeof responseFormats)[number], 'auto'>;

const path = '/audio/transcriptions';

/** Azure requires the version of its API in the query; nothing else may be there. */
const versionQuery = /\?api-version=[\w.-]+$/;

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(
    (url) => !/[?#]|\/\/[^/]*@/.test(url.replace(versionQuery, '')),
    'must be an address without a name, a password, # or ? (but ?api-version=… may end it)',
  )
  .refine((url) => !/\/audio\/transcriptions\/*(\?|$)/.test(url), `must end before ${path}`);

/** The settings of the transcription provider, each optional. */
export const transcriptionEnvironment = {
  TRANSCRIPTION_BASE_URL: baseUrl.optional(),
  TRANSCRIPTION_API_KEY: providerFields.apiKey.optional(),
  TRANSCRIPTION_MODEL: providerFields.model.optional(),
  TRANSCRIPTION_RESPONSE_FORMAT: z
    .enum(responseFormats, { error: `must be one of ${responseFormats.join(', ')}` })
    .default('auto'),
};

/** What transcription needs of the configuration. */
export interface TranscriptionConfig {
  TRANSCRIPTION_BASE_URL?: string | undefined;
  TRANSCRIPTION_API_KEY?: string | undefined;
  TRANSCRIPTION_MODEL?: string | undefined;
  TRANSCRIPTION_RESPONSE_FORMAT: (typeof responseFormats)[number];
  TRANSCRIPTION_PIECE_MINUTES: number;
  TRANSCRIPTION_TIMEOUT_SECONDS: number;
}

/** Where audio is sent, and what as. */
export interface TranscriptionAddress {
  url: string;
  /** The key goes here and nowhere else. A server in the own network may need none. */
  headers: Record<string, string>;
  model: string;
}

/** Azure takes a key in a header of its own; beside it `Authorization` is for tokens of Entra. */
function keyHeaders({ hostname }: URL, key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  return hostname.endsWith('.azure.com') ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}

type Given = Pick<TranscriptionConfig, 'TRANSCRIPTION_BASE_URL' | 'TRANSCRIPTION_API_KEY' | 'TRANSCRIPTION_MODEL'>;

/** Which settings are missing of what was begun. */
export function missingForTranscription(given: Given): SettingFault[] {
  const { TRANSCRIPTION_BASE_URL: base, TRANSCRIPTION_API_KEY: key, TRANSCRIPTION_MODEL: model } = given;
  if (base === undefined && key === undefined && model === undefined) return [];
  const missing: SettingFault[] = [];
  if (base === undefined) {
    const message = `is missing: give the address that ends before ${path}`;
    missing.push({ setting: 'TRANSCRIPTION_BASE_URL', message });
  }
  if (model === undefined) {
    const message = 'is missing: name the model that shall transcribe (any word will do for a server with only one)';
    missing.push({ setting: 'TRANSCRIPTION_MODEL', message });
  }
  return missing;
}

/** Where audio is transcribed; null where it is not. */
export function transcriptionAddress(given: Given): TranscriptionAddress | null {
  const { TRANSCRIPTION_BASE_URL: base, TRANSCRIPTION_API_KEY: key, TRANSCRIPTION_MODEL: model } = given;
  if (base === undefined || model === undefined) return null;
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return { url: url.href, headers: keyHeaders(url, key), model };
}
