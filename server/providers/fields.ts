import { z } from 'zod';

/** The kinds of settings that lead to a provider. */
export const providerFields = {
  /** An http or https address; trailing slashes are cut. */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine((url) => !/[?#]|\/\/[^/]*@/.test(url), 'must be an address without a name, a password, ? or #')
    .transform((url) => url.replace(/\/+$/, '')),
  apiKey: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of visible ASCII characters'),
  model: z.string().trim().min(1, 'must name a model'),
};
