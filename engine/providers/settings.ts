import { z } from 'zod';

/** A setting that is wrong or missing, and what to do about it. */
export interface SettingFault {
  setting: string;
  message: string;
}

/** One word of visible ASCII characters, such as a key; spaces around it are cut. */
export const asciiWord = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must be one word of visible ASCII characters');

/** The settings that identify a provider. */
export const providerFields = {
  /** An http or https address; trailing slashes are cut. */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine((url) => !/[?#]|\/\/[^/]*@/.test(url), 'must be an address without a name, a password, ? or #')
    .transform((url) => url.replace(/\/+$/, '')),
  apiKey: asciiWord,
  model: z.string().trim().min(1, 'must name a model'),
};
