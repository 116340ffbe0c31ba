/* global SwaggerUIBundle */

// The page may be opened under another name of this machine than the document's: calls go where the page came from.
const api = new URL('api/v1', location.href).href;
const darkness = window.matchMedia('(prefers-color-scheme: dark)');
const shade = () => document.documentElement.classList.toggle('dark-mode', darkness.matches);

shade();
darkness.addEventListener('change', shade);

try {
  const answer = await fetch(`${api}/openapi.json`);
  const description = await answer.json();
  if (!answer.ok) throw new Error(description.message);
  SwaggerUIBundle({
    dom_id: '#reference',
    spec: { ...description, servers: [{ url: api }] },
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: false,
    validatorUrl: null,
  });
} catch (error) {
  document.querySelector('#reference').textContent = `The reference could not be loaded: ${error.message}`;
}
