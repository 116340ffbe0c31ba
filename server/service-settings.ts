import { createSecretKey } from 'node:crypto';
import type { ServiceSettings } from '../domain/context.ts';
import { vapidKeyOf } from '../domain/push/vapid.ts';
import { modelAddresses } from '../engine/models/settings.ts';
import { urlRefusal } from '../outbound/public.ts';
import type { Config } from './config.ts';
import type { ServiceParts } from './service-parts.ts';
import { webhookSender } from './webhooks.ts';

/** Version of the API surface (SPEC "Versioning"). */
const apiVersion = '1.0.0';

/** `PUBLIC_URL`, or the address at which this machine reaches the service. */
export function publicAddress(config: Pick<Config, 'HOST' | 'PUBLIC_URL'>, port: number): string {
  const everywhere = ['0.0.0.0', '::', ''].includes(config.HOST);
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return config.PUBLIC_URL ?? `http://${everywhere ? 'localhost' : host}:${port}`;
}

/** The public addresses of the service; complete once the port is known (`PORT=0` lets the system choose). */
export function publicAddresses(config: Config, port: number) {
  const publicUrl = publicAddress(config, port);
  return {
    publicUrl,
    cliInstallUrl: config.CLI_INSTALL_URL ?? `${publicUrl}/install.sh`,
    deprecationUrl: config.DEPRECATION_URL ?? `${publicUrl}/docs/deprecation`,
  };
}

/** The secrets that all processes share, by what they are for. */
export const secretNames = ['cursor', 'totp', 'webhooks', 'push', 'vapid', 'oauth', 'media'] as const;
type Secrets = Readonly<Record<(typeof secretNames)[number], Buffer>>;

/**
 * What verbs may know of the configuration. With `PORT=0` the public addresses are replaced once the port is known
 * (`publicAddresses`).
 */
export function settingsOf(config: Config, secrets: Secrets, overrides: Partial<ServiceParts>): ServiceSettings {
  return {
    version: apiVersion,
    ...publicAddresses(config, config.PORT),
    hasModel: overrides.engine !== undefined || modelAddresses(config).addresses.turn !== undefined,
    cursorKey: createSecretKey(secrets.cursor),
    totpKey: createSecretKey(secrets.totp),
    webhooks: {
      key: createSecretKey(secrets.webhooks),
      refusalOf: urlRefusal(config.OUTBOUND_ALLOW),
      send: webhookSender(config.OUTBOUND_ALLOW, overrides.webhookOutbound),
    },
    push: {
      key: createSecretKey(secrets.push),
      vapid: vapidKeyOf(secrets.vapid),
    },
    signUp: config.SIGN_UP,
    agentMinutes: config.AGENT_MINUTES,
    agentMinutesPerWorkspace: config.AGENT_MINUTES_PER_WORKSPACE,
    passwordCost: config.PASSWORD_COST,
    requireVerifiedEmail: config.REQUIRE_VERIFIED_EMAIL
      ? config.REQUIRE_VERIFIED_EMAIL === 'true'
      : config.SMTP_URL !== undefined,
    rateLimitPerMinute: config.RATE_LIMIT_PER_KEY,
    streamsPerWorkspace: config.STREAMS_PER_WORKSPACE,
    recordings: { maxSeconds: config.RECORDING_MAX_MINUTES * 60 },
  };
}
