import { z } from 'zod';
import { deliveryStatuses, disabledReasons } from '../../db/schema/webhooks.ts';
import { eventTypes } from '../events/types.ts';
import { CursorText, Id, Instant, InstantInput, Limit, listOf, nonBlankText, text } from '../fields.ts';

export const maxUrlLength = 2000;

const everyType = ['*', ...eventTypes] as const;

const Url = z.string().meta({ examples: ['https://example.com/hooks/tandem'] });
const UrlInput = nonBlankText(maxUrlLength).meta({
  description: 'The https URL that events are sent to. Addresses of private networks are refused.',
  examples: ['https://example.com/hooks/tandem'],
});
const Description = text(500).describe('A note for people.');
const TypesInput = z
  .array(z.enum(everyType))
  .min(1)
  .max(everyType.length)
  .meta({
    description:
      'Types of events to send; `*` for all that the credential may read, also types that are added later. A key needs the read scope of each of them.',
    examples: [['todo.completed', 'approval.requested']],
  });
const Ordered = z
  .boolean()
  .describe(
    'One after the other, in the order of `sequence`: an event waits until all before it are delivered or failed.',
  );

const endpointFields = {
  object: z.literal('webhook_endpoint'),
  id: Id,
  url: Url,
  description: z.string().nullable(),
  types: z.array(z.enum(everyType)),
  enabled: z.boolean(),
  ordered: z.boolean(),
  disabledReason: z
    .enum(disabledReasons)
    .nullable()
    .describe(
      'Why the service disabled it. gone: it returned 410. failing: no delivery succeeded for five days. rights_ended: its owner may no longer read the events.',
    ),
  disabledAt: Instant.nullable(),
  failingSince: Instant.nullable().describe('The first failure since the last success.'),
  userId: Id.describe('Its owner: the person whose permissions decide which events are sent.'),
  apiKeyId: Id.nullable().describe(
    'The API key whose scopes limit the events too; null if the endpoint was created in a session.',
  ),
  previousSecretExpiresAt: Instant.nullable().describe(
    'Until then deliveries are signed with the previous secret too.',
  ),
  createdAt: Instant,
  updatedAt: Instant,
};

export const WebhookEndpoint = z.object(endpointFields).meta({ id: 'WebhookEndpoint' });
export type EndpointAnswer = z.infer<typeof WebhookEndpoint>;

export const WebhookEndpointWithSecret = WebhookEndpoint.extend({
  secret: z.string().meta({
    description: 'The secret of the signatures (Standard Webhooks). Returned only here.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Qh2Kz0hX9A='],
  }),
}).meta({ id: 'WebhookEndpointWithSecret' });

export const WebhookEndpointCreateParams = z
  .strictObject({
    url: UrlInput,
    types: TypesInput,
    description: Description.optional(),
    enabled: z.boolean().default(true).describe('False: nothing is sent until it is enabled.'),
    ordered: Ordered.default(false),
  })
  .meta({ id: 'WebhookEndpointCreateParams' });
export type NewEndpoint = z.infer<typeof WebhookEndpointCreateParams>;

export const WebhookEndpointChange = z
  .strictObject({
    endpointId: Id,
    url: UrlInput.optional(),
    types: TypesInput.optional(),
    description: Description.nullable().optional(),
    enabled: z
      .boolean()
      .optional()
      .describe('False: pending deliveries are cancelled. True: events from now on are sent.'),
    ordered: Ordered.optional(),
  })
  .meta({ id: 'WebhookEndpointUpdateParams' });
export type EndpointChange = z.infer<typeof WebhookEndpointChange>;

const Head = z.record(z.string(), z.string());
const cut = 'At most its first 2,000 characters.';

const WebhookAttempt = z
  .object({
    object: z.literal('webhook_attempt'),
    id: Id,
    sentAt: Instant,
    durationMs: z.int(),
    request: z.object({ url: Url, headers: Head, body: z.string().meta({ examples: ['{"object":"event"}'] }) }),
    response: z
      .object({ status: z.int(), headers: Head, body: z.string().describe(cut) })
      .nullable()
      .describe('Null: there was no response.'),
    error: z
      .string()
      .nullable()
      .meta({
        description: 'Why there was no response.',
        examples: ['timeout (TIME_LIMIT)'],
      }),
  })
  .meta({ id: 'WebhookAttempt' });
export type AttemptAnswer = z.infer<typeof WebhookAttempt>;

const deliveryFields = {
  object: z.literal('webhook_delivery'),
  id: Id,
  endpointId: Id,
  eventId: Id.describe('The `webhook-id` of all its requests.'),
  type: z.string().meta({ description: '`webhook.test` for a test.', examples: ['todo.completed'] }),
  sequence: z.int().nullable().describe('The sequence of the event; null for a test.'),
  status: z
    .enum(deliveryStatuses)
    .describe('failed: all tries failed. cancelled: the endpoint was disabled before it was delivered.'),
  tries: z.int().describe('Tries since it was created or sent again; at most 10.'),
  nextTryAt: Instant.nullable(),
  createdAt: Instant,
  endedAt: Instant.nullable(),
};

export const WebhookDelivery = z
  .object({ ...deliveryFields, lastAttempt: WebhookAttempt.nullable() })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryAnswer = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryWithAttempts = z
  .object({ ...deliveryFields, attempts: z.array(WebhookAttempt).describe('The last 50, the oldest first.') })
  .meta({ id: 'WebhookDeliveryWithAttempts' });

const WebhookDeliverySummary = z
  .object({
    object: z.literal('webhook_delivery_summary'),
    id: Id,
    type: deliveryFields.type,
    status: deliveryFields.status,
    createdAt: Instant,
    sentAt: Instant.nullable().describe('The last try; null before the first.'),
    responseStatus: z
      .int()
      .nullable()
      .meta({ description: 'Of its answer; null when there was none.', examples: [204] }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why there was no answer.', examples: ['timeout (TIME_LIMIT)'] }),
  })
  .meta({ id: 'WebhookDeliverySummary' });
export type DeliverySummary = z.infer<typeof WebhookDeliverySummary>;

const WebhookEndpointListed = WebhookEndpoint.extend({
  lastDelivery: WebhookDeliverySummary.nullable().describe('The newest of its deliveries; null when there is none.'),
}).meta({ id: 'WebhookEndpointListed' });
export type EndpointListed = z.infer<typeof WebhookEndpointListed>;

export const WebhookEndpointList = listOf(WebhookEndpointListed, 'WebhookEndpointList');

export const WebhookDeliveryPage = listOf(WebhookDelivery, 'WebhookDeliveryPage');

export const WebhookDeliveryListing = z.strictObject({
  endpointId: Id,
  status: z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.'),
  limit: Limit,
  cursor: CursorText,
});
export type DeliveryQuery = z.infer<typeof WebhookDeliveryListing>;

export const WebhookRedelivery = z
  .strictObject({
    endpointId: Id,
    since: InstantInput.meta({
      description: 'The first event that happened at this time or later, and all after it.',
      examples: ['2026-03-01T09:00:00Z'],
    }),
    includeDelivered: z.boolean().default(false).describe('Also send delivered events again.'),
  })
  .meta({ id: 'WebhookRedeliveryParams' });
export type Redelivery = z.infer<typeof WebhookRedelivery>;

export const WebhookRedelivered = z
  .object({
    object: z.literal('webhook_redelivery'),
    id: Id.describe('The id of the endpoint.'),
    fromSequence: z.int().nullable().describe('The first event of the range; null when there is none.'),
    toSequence: z.int().describe('The last event of the range.'),
  })
  .meta({ id: 'WebhookRedelivered' });
