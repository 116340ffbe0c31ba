import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Send } from '../../outbound/client.ts';
import type { ModelAddress } from './settings.ts';

/** A model of the AI SDK. */
export type Model = ReturnType<ReturnType<typeof createAnthropic>>;
export type CallOptions = Parameters<Model['doStream']>[0];
export type Prompt = CallOptions['prompt'];
export type StreamPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** The length of an answer of Anthropic where no limit is set: its protocol requires one. */
const anthropicTokens = 8192;

type Body = Record<string, unknown>;

/**
 * Differences between hosts of the OpenAI protocol. OpenAI and Azure refuse `max_tokens` for their newer models and
 * require `max_completion_tokens`, which others do not support.
 */
export function inDialect(baseUrl: string, body: Body): Body {
  const { hostname } = new URL(baseUrl);
  if (hostname !== 'api.openai.com' && !hostname.endsWith('.azure.com')) return body;
  const { max_tokens, ...rest } = body;
  return max_tokens === undefined ? rest : { ...rest, max_completion_tokens: max_tokens };
}

/**
 * Gemini refuses a conversation whose tool calls lack the signature it gave them, which is not stored here; this is the
 * stand-in it documents: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const geminiSignature = { google: { thoughtSignature: 'skip_thought_signature_validator' } };

function withSignatures(prompt: Prompt): Prompt {
  return prompt.map((message) =>
    message.role !== 'assistant'
      ? message
      : {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-call' ? { ...part, providerOptions: geminiSignature } : part,
          ),
        },
  );
}

/**
 * Tools, instructions and all but the newest messages are the same at each step of a turn: Anthropic may cache them.
 */
const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

function withCachePoints(prompt: Prompt): Prompt {
  return prompt.map((message, at) =>
    message.role === 'system' || at === prompt.length - 1 ? { ...message, providerOptions: cached } : message,
  );
}

export interface Provider {
  model: Model;
  /** The options in the form of this provider. `maxTokens` of 0 leaves the length of an answer to the provider. */
  fit(options: CallOptions, maxTokens: number): CallOptions;
}

/** The provider at `address`, reached by `send`. Reads nothing from the environment. */
export function providerAt(address: ModelAddress, send: Send): Provider {
  const { protocol, baseUrl: baseURL, apiKey, model } = address;
  if (protocol === 'anthropic') {
    return {
      // An empty key prevents the SDK from reading one from the environment.
      model: createAnthropic({ baseURL, apiKey: apiKey ?? '', fetch: send })(model),
      fit: (options, maxTokens) => ({
        ...options,
        prompt: withCachePoints(options.prompt),
        maxOutputTokens: maxTokens || anthropicTokens,
      }),
    };
  }
  const gemini = new URL(baseURL).hostname === 'generativelanguage.googleapis.com';
  return {
    model: createOpenAICompatible({
      name: 'openai-compatible',
      baseURL,
      ...(apiKey !== undefined && { apiKey }),
      fetch: send,
      transformRequestBody: (body) => inDialect(baseURL, body),
    }).chatModel(model),
    fit: (options, maxTokens) => ({
      ...options,
      ...(gemini && { prompt: withSignatures(options.prompt) }),
      ...(maxTokens > 0 && { maxOutputTokens: maxTokens }),
    }),
  };
}
