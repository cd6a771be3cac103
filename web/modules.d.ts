declare module '*?worker&url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the bundler's own form of a worker's address.
  export default url;
}
declare module '@earendil-works/pi-ai/models' {
  export { getModels, getProviders } from '@earendil-works/pi-ai';
}
declare module '*.wasm?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the bundler's own form of a file's address.
  export default url;
}
