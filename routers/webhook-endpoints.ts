import { z } from 'zod';
import { DeletedResource, Id } from '../domain/fields.ts';
import { getDelivery, listDeliveries, redeliver, redeliverSince, testEndpoint } from '../domain/webhooks/deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../domain/webhooks/endpoints.ts';
import { listEndpoints } from '../domain/webhooks/list.ts';
import {
  WebhookDelivery,
  WebhookDeliveryListing,
  WebhookDeliveryPage,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointCreateParams,
  WebhookEndpointList,
  WebhookEndpointWithSecret,
  WebhookRedelivered,
  WebhookRedelivery,
} from '../domain/webhooks/shapes.ts';
import { op, procedure, router } from './base.ts';

const access = 'subscriber';
const endpoint = z.strictObject({ endpointId: Id });
const delivery = z.strictObject({ endpointId: Id, deliveryId: Id });

export const webhookEndpoints = router({
  list: procedure
    .meta(
      op('GET /webhook-endpoints', {
        id: 'listWebhookEndpoints',
        access,
        summary: 'List the webhook endpoints of the workspace',
        description:
          'Lists the endpoints of the workspace, newest first, each with its newest delivery. A key gets only those whose events it may read. Use listWebhookDeliveries for all deliveries of one endpoint.',
      }),
    )
    .input(z.strictObject({}))
    .output(WebhookEndpointList)
    .query(({ ctx }) => listEndpoints(ctx)),

  create: procedure
    .meta(
      op('POST /webhook-endpoints', {
        id: 'createWebhookEndpoint',
        events: ['webhook_endpoint.created'],
        access,
        summary: 'Create a webhook endpoint',
        description:
          'Events of these types are sent to it from now on, signed as in Standard Webhooks with the `secret`, which is returned only here. A key needs the read scope of every type. A workspace has at most 100 endpoints.',
        status: 201,
        etag: true,
        statuses: [409],
      }),
    )
    .input(WebhookEndpointCreateParams)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => createEndpoint(ctx, input)),

  get: procedure
    .meta(
      op('GET /webhook-endpoints/{endpointId}', {
        id: 'getWebhookEndpoint',
        access,
        summary: 'Get a webhook endpoint',
        description:
          'Returns the endpoint without its secret, with the reason when it is disabled. Use listWebhookDeliveries to see what was sent to it.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(endpoint)
    .output(WebhookEndpoint)
    .query(({ ctx, input }) => getEndpoint(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /webhook-endpoints/{endpointId}', {
        id: 'updateWebhookEndpoint',
        events: ['webhook_endpoint.updated'],
        access,
        summary: 'Update a webhook endpoint',
        description:
          'A person who changes its `url` or `types`, or enables it again, becomes its owner, whose permissions decide which events are sent. To change the secret use rotateWebhookSecret.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(WebhookEndpointChange)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => updateEndpoint(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /webhook-endpoints/{endpointId}', {
        id: 'deleteWebhookEndpoint',
        events: ['webhook_endpoint.deleted'],
        access,
        summary: 'Delete a webhook endpoint',
        description:
          'Erases the endpoint and its deliveries at once; pending deliveries are not sent. To stop it for a while, use updateWebhookEndpoint with `enabled: false` instead: its pending deliveries are cancelled too, and once it is enabled again it gets the events from then on; redeliverWebhooksSince sends what it missed.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(endpoint)
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteEndpoint(ctx, input)),

  rotateSecret: procedure
    .meta(
      op('POST /webhook-endpoints/{endpointId}/rotate-secret', {
        id: 'rotateWebhookSecret',
        events: ['webhook_endpoint.updated'],
        access,
        summary: 'Give a webhook endpoint a new secret',
        description:
          'The new `secret` is returned only here. For 24 hours deliveries carry signatures with those before it too, three at most.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(endpoint)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  test: procedure
    .meta(
      op('POST /webhook-endpoints/{endpointId}/test', {
        id: 'testWebhookEndpoint',
        events: [],
        access,
        summary: 'Send a test to a webhook endpoint',
        description:
          'Sends a request of the type `webhook.test`, which is not an event of the log. Read the delivery to see the response (getWebhookDelivery).',
        status: 202,
        statuses: [404, 409],
      }),
    )
    .input(endpoint)
    .output(WebhookDelivery)
    .mutation(({ ctx, input }) => testEndpoint(ctx, input)),

  redeliverSince: procedure
    .meta(
      op('POST /webhook-endpoints/{endpointId}/redeliver', {
        id: 'redeliverWebhooksSince',
        events: [],
        access,
        summary: 'Send the events since a time again',
        description:
          'Sends every event since then that was not delivered, including those from the time when the endpoint was disabled; with `includeDelivered` it also sends delivered ones again. Use it when your receiver was down for a long time; for a single delivery use redeliverWebhook.',
        status: 202,
        statuses: [404, 409],
      }),
    )
    .input(WebhookRedelivery)
    .output(WebhookRedelivered)
    .mutation(({ ctx, input }) => redeliverSince(ctx, input)),

  deliveries: procedure
    .meta(
      op('GET /webhook-endpoints/{endpointId}/deliveries', {
        id: 'listWebhookDeliveries',
        access,
        summary: 'List the deliveries of a webhook endpoint',
        description:
          'Lists deliveries, newest first, each with its last request and response. Those of events that you may not read are left out, so that a page may have fewer than `limit`. They are kept for 30 days unless the operator configured another time.',
        statuses: [404],
      }),
    )
    .input(WebhookDeliveryListing)
    .output(WebhookDeliveryPage)
    .query(({ ctx, input }) => listDeliveries(ctx, input)),

  delivery: procedure
    .meta(
      op('GET /webhook-endpoints/{endpointId}/deliveries/{deliveryId}', {
        id: 'getWebhookDelivery',
        access,
        summary: 'Get a delivery with all its requests and responses',
        description:
          'Returns a delivery with every try: when it was sent, and the beginning of the response or the error. Use it to find out why a receiver refuses an event; redeliverWebhook sends it again.',
        statuses: [404],
      }),
    )
    .input(delivery)
    .output(WebhookDeliveryWithAttempts)
    .query(({ ctx, input }) => getDelivery(ctx, input)),

  redeliver: procedure
    .meta(
      op('POST /webhook-endpoints/{endpointId}/deliveries/{deliveryId}/redeliver', {
        id: 'redeliverWebhook',
        events: [],
        access,
        summary: 'Send the event of a delivery again',
        description:
          'Sends the event again, whether or not it was delivered, with the same `webhook-id` and ten tries. Receivers can detect a repeated event by this id. For all deliveries since a time use redeliverWebhooksSince.',
        status: 202,
        statuses: [404, 409],
      }),
    )
    .input(delivery)
    .output(WebhookDelivery)
    .mutation(({ ctx, input }) => redeliver(ctx, input)),
});
