import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../../api/client.ts';
import { pollAlways } from '../../api/live-state.ts';

export type ListedEndpoint = TandemOutputs['webhookEndpoints']['list']['data'][number];
export type Endpoint = TandemOutputs['webhookEndpoints']['get'];
export type EndpointWithSecret = TandemOutputs['webhookEndpoints']['create'];
export type Delivery = TandemOutputs['webhookEndpoints']['deliveries']['data'][number];
export type Attempt = TandemOutputs['webhookEndpoints']['delivery']['attempts'][number];
export type DeliveryStatus = Delivery['status'];

/** All queries of this page: what a change of an endpoint makes stale. */
export const webhooksKey = 'webhooks';

/** Deliveries have no events of their own, so they and what depends on them are polled with live updates too. */
const pollMs = 10_000;
/** While a request is under way or about to be sent. */
const busyPollMs = 1_000;

/** The webhook endpoints of a workspace; read again while the page is open, as their deliveries go on. */
export const endpointsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [webhooksKey, workspaceId, 'list'],
    queryFn: ({ signal }) => api.webhookEndpoints.list.query({}, { signal }),
    refetchInterval: (query) => pollAlways(query, pollMs),
  });

/** One endpoint. It may be disabled by what its receiver answers, so it is read again. */
export const endpointQuery = (workspaceId: string, endpointId: string) =>
  queryOptions({
    queryKey: [webhooksKey, workspaceId, 'one', endpointId],
    queryFn: ({ signal }) => api.webhookEndpoints.get.query({ endpointId }, { signal }),
    refetchInterval: (query) => pollAlways(query, pollMs),
  });

/** Whether a request is under way or is sent within seconds. */
function isBusy({ status, nextTryAt }: Delivery): boolean {
  return status === 'pending' && nextTryAt !== null && Date.parse(nextTryAt) < Date.now() + pollMs;
}

/** The deliveries of an endpoint, newest first; `status`: only those with it. */
export const deliveriesQuery = (workspaceId: string, endpointId: string, status: DeliveryStatus | null) =>
  infiniteQueryOptions({
    queryKey: [webhooksKey, workspaceId, 'deliveries', endpointId, status],
    queryFn: ({ pageParam, signal }) =>
      api.webhookEndpoints.deliveries.query(
        { endpointId, ...(status && { status }), ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => {
      const rows = query.state.data?.pages.flatMap(({ data }) => data) ?? [];
      return pollAlways(query, rows.some(isBusy) ? busyPollMs : pollMs);
    },
  });

/** A delivery with all its requests and answers. `tries` is in the key: each try adds one. */
export const deliveryQuery = (workspaceId: string, { id, endpointId, status, tries }: Delivery) =>
  queryOptions({
    queryKey: [webhooksKey, workspaceId, 'delivery', id, status, tries],
    queryFn: ({ signal }) => api.webhookEndpoints.delivery.query({ endpointId, deliveryId: id }, { signal }),
  });
