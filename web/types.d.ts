// What the bundler adds to the language.

declare module '*.css'

/** Address of a style sheet built on its own, to be loaded with `loadStyles` by a lazy chunk. */
declare module '*.css?url' {
  export const href: string
  export default href
}

interface Window {
  /** Start-up settings put into the page by the server. */
  FileBrowser?: Partial<import('../src/api-types.ts').BootSettings>
}
