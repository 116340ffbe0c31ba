/**
 * Whether this document may use a microphone. Only the one that is served at `/record` may (`Permissions-Policy`,
 * adapters/pages/mount.ts), so whoever comes there by a link inside the pages needs the document loaded anew.
 */
export const mayUseMicrophone = location.pathname === '/record';
