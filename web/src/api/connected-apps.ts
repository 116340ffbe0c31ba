import { queryOptions } from '@tanstack/react-query';
import { fetchJson } from './client.ts';

export interface ConnectedApp {
  id: string;
  workspaceId: string;
  userId: string;
  clientId: string;
  clientName: string;
  clientUri: string | null;
  logoUri: string | null;
  scopes: string[];
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

export const connectedAppsQuery = (workspaceId: string, includeRevoked: boolean) =>
  queryOptions({
    queryKey: ['connectedApps', workspaceId, includeRevoked],
    queryFn: ({ signal }) =>
      fetchJson<{ data: ConnectedApp[] }>(
        `/api/v1/connected-apps?workspaceId=${workspaceId}&includeRevoked=${includeRevoked}`,
        { signal },
      ),
  });

export const revokeConnectedApp = (id: string) => fetchJson(`/api/v1/connected-apps/${id}`, { method: 'DELETE' });
