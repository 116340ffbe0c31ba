import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { callback } from './oauth.ts';

interface Tokens {
  access_token: string;
  token_type: string;
  refresh_token?: string;
  scope?: string;
}

/** What an application keeps for the SDK of either generation: their `OAuthClientProvider`. */
export class Wallet {
  readonly redirectUrl = callback;
  readonly clientMetadata = { client_name: 'Assistant', redirect_uris: [callback] };
  readonly clientMetadataUrl?: string;
  client: { client_id: string } | undefined;
  kept: Tokens | undefined;
  verifier = '';
  /** Where the SDK wants the person to go. */
  address = '';

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state = () => 'the state';
  clientInformation = () => this.client;
  saveClientInformation = (client: { client_id: string }) => {
    this.client = client;
  };
  tokens = () => this.kept;
  saveTokens = (tokens: Tokens) => {
    this.kept = tokens;
  };
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  redirectToAuthorization = (address: URL) => {
    this.address = address.href;
  };
  discovered: OAuthDiscoveryState | undefined;
  discoveryState = () => this.discovered;
  saveDiscoveryState = (discovered: OAuthDiscoveryState) => {
    this.discovered = discovered;
  };
  invalidateCredentials = (what: string) => {
    if (what === 'all' || what === 'tokens') this.kept = undefined;
    if (what === 'all' || what === 'client') this.client = undefined;
  };
}
