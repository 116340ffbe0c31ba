import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const safe = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? '');

/** What a person should do about an error that cannot be sent back to the app. */
const advice: Record<string, string> = {
  invalid_client: 'The app that sent you here is not known. Start the connection again from the app.',
  invalid_redirect_uri: 'The app that sent you here requested an address that it did not register. Close this page.',
  temporarily_unavailable:
    'The service, or the address of the app, is temporarily unavailable. Load this page again in a few seconds.',
};

/**
 * The page for an authorization request that cannot continue and must not be sent back to the app (RFC 6749 §4.1.2.1).
 */
export function errorPage(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = out;
    return;
  }
  const message =
    advice[out.error] ?? 'This request to connect an app is not valid or has expired. Start again from the app.';
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
  ctx.set('Content-Security-Policy', policy);
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The app cannot be connected – Tandem</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 32rem; margin: 15vh auto 0; padding: 0 1.5rem }
</style>
</head>
<body>
<main>
<h1>The app cannot be connected</h1>
<p>${safe(message)}</p>
<p><small><code>${safe(out.error)}</code> ${safe(out.error_description ?? '')}</small></p>
</main>
</body>
</html>
`;
}
