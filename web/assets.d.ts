// What the build's import suffixes give (scripts/build/plugins.ts).

declare module '*.css'

/** Absolute URL of the file; a style sheet is bundled on its own and loaded with a `<link>`. */
declare module '*?url' {
  const url: string
  export default url
}

/** Absolute URL of a bundled module worker: `new Worker(url, { type: 'module' })`. */
declare module '*?worker' {
  const url: string
  export default url
}

/** A compiled catalogue; import it dynamically, one chunk per language. */
declare module '*.po' {
  export const messages: import('@lingui/core').Messages
}
