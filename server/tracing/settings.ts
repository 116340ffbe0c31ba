import { z } from 'zod';

const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const milliseconds = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'must be a number of milliseconds, from 1 to 999999')
  .transform(Number);

/** Samplers of the specification. Those of `parentbased` follow the decision of a caller that sent one. */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type Sampler = (typeof samplers)[number];

/** `name=value` pairs, separated by commas; values are percent-encoded. */
const pairs = z
  .string()
  .refine(
    (text) => text.split(',').every((pair) => /^\s*[^=\s]+\s*=(?:[^%]|%[0-9a-f]{2})*$/i.test(pair)),
    'must be name=value pairs, separated by commas, with percent-encoded values',
  )
  .transform((text) =>
    Object.fromEntries(
      text.split(',').map((pair) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
      }),
    ),
  )
  .default({});

/** The settings of traces: those of OpenTelemetry's specification, under their names. */
export const tracingEnvironment = {
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  OTEL_SERVICE_NAME: z.string().default('tandem'),
  OTEL_RESOURCE_ATTRIBUTES: pairs,
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).default('otlp'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, { error: `must be one of ${samplers.join(', ')}` })
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpAddress.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/json', { error: 'must be http/json, the one protocol that is supported' })
    .default('http/json'),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds.default(10_000),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds.default(5000),
};

type Environment = z.infer<z.ZodObject<typeof tracingEnvironment>>;

/** What traces are made and sent with. */
export interface TracingSettings {
  endpoint: string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** Between two requests to the collector. */
  delayMs: number;
  resource: Record<string, string>;
  sampler: Sampler;
  /** Of the traces that begin here, with a `traceidratio`. */
  ratio: number;
}

/** The settings of traces; undefined when they are switched off, as they are without an endpoint. */
export function tracingSettings(environment: Environment): TracingSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = environment;
  const endpoint = own ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  const isOff = environment.OTEL_SDK_DISABLED === 'true' || environment.OTEL_TRACES_EXPORTER === 'none';
  if (endpoint === undefined || isOff) return undefined;
  return {
    endpoint,
    headers: environment.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: environment.OTEL_EXPORTER_OTLP_TIMEOUT,
    delayMs: environment.OTEL_BSP_SCHEDULE_DELAY,
    resource: { ...environment.OTEL_RESOURCE_ATTRIBUTES, 'service.name': environment.OTEL_SERVICE_NAME },
    sampler: environment.OTEL_TRACES_SAMPLER,
    ratio: environment.OTEL_TRACES_SAMPLER_ARG,
  };
}
