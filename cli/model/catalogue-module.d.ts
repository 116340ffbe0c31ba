/** Made by scripts/build-cli.ts out of the operations of the service. */
declare module 'tandem:catalogue' {
  const catalogue: import('./catalogue.ts').Catalogue;
  export default catalogue;
}
