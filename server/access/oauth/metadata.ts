import { scopes } from '../../../domain/scopes.ts';

/** Where the endpoints of the server are. */
export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const;

/** Metadata of the authorization server (RFC 8414). Its issuer is the address of the service. */
export function serverMetadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + paths.authorization,
    token_endpoint: publicUrl + paths.token,
    registration_endpoint: publicUrl + paths.registration,
    revocation_endpoint: publicUrl + paths.revocation,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [`${publicUrl}/mcp`],
    service_documentation: `${publicUrl}/docs`,
  };
}

/**
 * The same for clients that look where OpenID Connect Discovery puts it, with what that demands. No ID tokens are
 * issued.
 */
export function discoveryMetadata(publicUrl: string) {
  return {
    ...serverMetadata(publicUrl),
    jwks_uri: publicUrl + paths.jwks,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  };
}

/** Metadata of the MCP endpoint as a protected resource (RFC 9728). */
export function resourceMetadata(publicUrl: string) {
  return {
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Tandem',
    resource_documentation: `${publicUrl}/docs`,
  };
}
