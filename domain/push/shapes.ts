import { z } from 'zod';
import { Id, Instant, listOf } from '../fields.ts';

const maxEndpointLength = 1000;
const base64url = /^[\w-]+={0,2}$/;

/** The subscription of a browser, as `PushSubscription.toJSON()` returns it. */
export const PushSubscriptionParams = z
  .strictObject({
    endpoint: z
      .string()
      .max(maxEndpointLength)
      .meta({
        description: 'Where the push service of the browser takes messages. https only.',
        examples: ['https://push.example.com/messages/dF4xQp'],
      }),
    keys: z
      .strictObject({
        p256dh: z
          .string()
          .regex(base64url, 'must be base64url')
          .meta({
            description: 'The public key of the browser, in base64url.',
            examples: ['BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'],
          }),
        auth: z
          .string()
          .regex(base64url, 'must be base64url')
          .meta({ description: 'Its secret of 16 bytes, in base64url.', examples: ['BTBZMqHH6r4Tts7J_aSIgg'] }),
      })
      .describe('As the browser made them: messages are encrypted for them (RFC 8291).'),
  })
  .meta({ id: 'PushSubscriptionParams' });

export type PushSubscriptionInput = z.infer<typeof PushSubscriptionParams>;

export const PushSubscription = z
  .object({
    object: z.literal('push_subscription'),
    id: Id,
    client: z.string().meta({ description: 'The browser, as it names itself.', examples: ['Firefox on Linux'] }),
    pushService: z.string().meta({
      description: 'The host of its push service.',
      examples: ['push.example.com'],
    }),
    isCurrent: z.boolean().describe('It was made by the session of this request.'),
    createdAt: Instant,
  })
  .meta({ id: 'PushSubscription' });

export const PushSubscriptionPage = listOf(PushSubscription, 'PushSubscriptionPage')
  .extend({
    applicationServerKey: z.string().meta({
      description: 'The public key of this service, for `PushManager.subscribe()` (RFC 8292).',
      examples: ['BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'],
    }),
  })
  .meta({ id: 'PushSubscriptionPage' });
