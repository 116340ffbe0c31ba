import { existsSync } from 'node:fs';
import { z } from 'zod';
import { Hosts } from '../db/hosts.ts';
import { modelAddresses, modelEnvironment } from '../engine/models/settings.ts';
import { storageEnvironment, storageFaults } from '../media/storage/settings.ts';
import { missingForTranscription, transcriptionEnvironment } from '../media/transcription/settings.ts';
import { outboundEnvironment } from '../outbound/settings.ts';
import { SettingFileError, withSettingFiles } from './config-files.ts';
import { isMailUrl, localSender, mailFaults } from './mail-settings.ts';
import { standbyFaults } from './standby-settings.ts';
import { tracingEnvironment } from './tracing/settings.ts';

const whole = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
    .default(fallback);

/**
 * Whether the driver reads the text as one address: a `/` or `#` in a password, for example, would end what is before
 * it.
 */
function isDatabaseUrl(text: string): boolean {
  try {
    new Hosts(text);
    return !/@/.test(text.split(/[?#/]/).slice(3).join('/'));
  } catch {
    return false;
  }
}

/** Whether browsers send the text as `Origin`. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin } = new URL(text);
  // Those of apps and extensions, such as capacitor://localhost.
  return origin === 'null' ? /^[a-z][a-z\d+.-]*:\/\/[^/?#@]+$/.test(text) : origin === text;
}

const encoding = 'cannot be read: in user and password, write / as %2F, # as %23, @ as %40, : as %3A and % as %25';

/** In the hosts, and not in a password before them. */
const hasBrackets = /^\w+:\/\/(?:[^@/?#]*@)?(?![^/?#]*@)[^/?#]*\[/;
const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres:// or postgresql://', abort: true })
  .refine((url) => !hasBrackets.test(url), {
    error: 'has an IPv6 address in brackets, which the driver of PostgreSQL does not read: use a host name',
    abort: true,
  })
  .refine(isDatabaseUrl, encoding);

const address = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((url) => url.replace(/\/+$/, ''));
/** Pages, cookies and metadata of OAuth are at the root of the host. */
const publicAddress = address
  .refine(
    (url) => /^https?:\/\/[^/?#@\\]+$/i.test(url),
    'must be scheme, host and port alone, such as https://tandem.example.com: the service works at the root of a host, not below a path',
  )
  // As browsers and clients of OAuth spell it, who compare it with what they have.
  .transform((url) => new URL(url).origin);
const hops = z
  .string()
  .regex(/^(true|false|\d)$/, 'must be the number of proxies in front of the service (0 to 9), true (1) or false (0)')
  .transform((value) => (value === 'true' ? 1 : value === 'false' ? 0 : Number(value)))
  .default(0);

/** log2 of scrypt's N that OWASP's Password Storage Cheat Sheet asks for, with r = 8 and p = 1. */
const minPasswordCost = 17;

/** Every setting of the service, as `.env.example` explains them. */
const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(8080, 0, 65535),
  PUBLIC_URL: publicAddress.optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_READ_URL: databaseUrl.optional(),
  DATABASE_POOL_SIZE: whole(20, 2, 500),
  CITUS_DIRECT: z.enum(['true', 'false'], { error: 'must be true or false' }).default('true'),
  DATA_DIR: z.string().min(1).default('./data'),
  EMBEDDED_PORT: whole(0, 0, 65535),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
  LOG_FORMAT: z.enum(['auto', 'json', 'pretty'], { error: 'must be auto, json or pretty' }).default('auto'),
  SLOW_STATEMENT_MS: whole(1000, 0, 60_000),
  RATE_LIMIT_PER_KEY: whole(300, 1, 1_000_000),
  RATE_LIMIT_PER_ADDRESS: whole(120, 1, 1_000_000),
  STREAMS_PER_WORKSPACE: whole(10_000, 1, 1_000_000),
  TRUST_PROXY: hops,
  TURN_MINUTES: whole(30, 1, 1440),
  TURN_STEPS: whole(50, 1, 1000),
  SIGN_UP: z.enum(['open', 'invited'], { error: 'must be open or invited' }).default('open'),
  AGENT_MINUTES: whole(600, 0, 1_000_000),
  AGENT_MINUTES_PER_WORKSPACE: whole(0, 0, 1_000_000),
  AGENT_CONCURRENCY: whole(16, 0, 1000),
  EVENT_RETENTION_DAYS: whole(30, 1, 36_500),
  AUDIT_RETENTION_DAYS: whole(365, 1, 36_500),
  WEBHOOK_RETENTION_DAYS: whole(30, 1, 36_500),
  NOTIFICATION_RETENTION_DAYS: whole(180, 1, 36_500),
  CHAT_ARCHIVE_DAYS: whole(0, 0, 36_500),
  ARCHIVED_CHAT_RETENTION_DAYS: whole(0, 0, 36_500),
  RUN_RETENTION_DAYS: whole(0, 0, 36_500),
  APPROVAL_RETENTION_DAYS: whole(0, 0, 36_500),
  TURN_RETENTION_DAYS: whole(0, 0, 36_500),
  MINUTE_DETAIL_DAYS: whole(0, 0, 36_500),
  CLI_INSTALL_URL: address.optional(),
  DEPRECATION_URL: address.optional(),
  ALLOWED_ORIGINS: z
    .string()
    .transform((list) =>
      list
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )
    .refine(
      (list) => list.every(isOrigin),
      'must be origins such as https://app.example.com, separated by commas: with a scheme, without a path or a / at the end',
    )
    .default([]),
  NODE_ENV: z.string().optional(),
  PASSWORD_COST: whole(minPasswordCost, 10, 20),
  METRICS_TOKEN: z.string().min(16, 'must be at least 16 characters long').optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, { error: 'must begin with smtp:// or smtps://', abort: true })
    .refine(isMailUrl, encoding)
    .optional(),
  REQUIRE_VERIFIED_EMAIL: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  MAIL_FROM: z.string().min(3).default(localSender),
  SHUTDOWN_SECONDS: whole(20, 0, 600),
  LAME_DUCK_SECONDS: whole(0, 0, 300),
  RECORDING_MAX_MINUTES: whole(240, 1, 1440),
  RECORDING_MAX_MEGABYTES: whole(2048, 1, 4095),
  ...modelEnvironment,
  AI_STEP_SECONDS: whole(120, 5, 290),
  AI_MAX_OUTPUT_TOKENS: whole(0, 0, 1_000_000),
  AI_RETRY_AFTER_MAX_SECONDS: whole(120, 0, 3600),
  ...transcriptionEnvironment,
  TRANSCRIPTION_PIECE_MINUTES: whole(10, 1, 60),
  TRANSCRIPTION_TIMEOUT_SECONDS: whole(300, 5, 300),
  ...storageEnvironment,
  ...outboundEnvironment,
  ...tracingEnvironment,
});

const Environment = Settings.superRefine((settings, context) => {
  const missing = [
    ...modelAddresses(settings).missing,
    ...missingForTranscription(settings),
    ...storageFaults(settings),
  ];
  if (settings.PASSWORD_COST < minPasswordCost && settings.NODE_ENV !== 'test') {
    const message = `must be at least ${minPasswordCost}; less is for tests (NODE_ENV=test) only`;
    missing.push({ setting: 'PASSWORD_COST', message });
  }
  if (settings.LAME_DUCK_SECONDS > 0 && settings.LAME_DUCK_SECONDS >= settings.SHUTDOWN_SECONDS) {
    missing.push({
      setting: 'LAME_DUCK_SECONDS',
      message: 'must be less than SHUTDOWN_SECONDS, of which it is a part',
    });
  }
  missing.push(...standbyFaults(settings), ...mailFaults(settings));
  for (const { setting, message } of missing) context.addIssue({ code: 'custom', path: [setting], message });
});

export type Config = z.infer<typeof Environment>;

/** The settings are not valid; the message has a line for each, for the person who set them. */
export class ConfigError extends Error {}

function notValid(lines: readonly string[]): ConfigError {
  return new ConfigError(
    `These settings are not valid; correct them in the environment or in .env:\n${lines.join('\n')}`,
  );
}

function withFiles(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  try {
    return withSettingFiles(environment, Object.keys(Settings.shape));
  } catch (error) {
    if (error instanceof SettingFileError) throw notValid(error.message.split('\n').map((line) => `  ${line}`));
    throw error;
  }
}

/**
 * Parses the settings once without compiling their schemas, which takes 15 ms and pays only for what is parsed often.
 */
function parseOnce(environment: Record<string, string | undefined>) {
  const { jitless = false } = z.config();
  z.config({ jitless: true });
  try {
    return Environment.safeParse(environment, { jitless: true });
  } finally {
    z.config({ jitless });
  }
}

/**
 * The configuration out of `environment`; empty values count as unset. @throws ConfigError naming every bad setting.
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(
    Object.entries(withFiles(environment)).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = parseOnce(set);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const shown =
      set[name] === undefined || /TOKEN|URL|ORIGINS|API_KEY|ACCESS_KEY|ENDPOINT|HEADERS/.test(name)
        ? ''
        : ` (it is “${set[name]}”)`;
    return `  ${name} ${issue.message}${shown}`;
  });
  throw notValid(lines);
}

/** The configuration of this process: `.env` in the working directory, overridden by the environment. */
export function loadConfig(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return parseConfig(process.env);
}
