// Name and version of the product, from package.json; the commit is put in by the build.
import manifest from '../../package.json' with { type: 'json' }

declare const __FB_COMMIT__: string | undefined

/** The project's own page, empty when it has none. */
export const HOMEPAGE: string = (manifest as { homepage?: string }).homepage ?? ''

export const VERSION: string = manifest.version
export const COMMIT: string = typeof __FB_COMMIT__ === 'string' ? __FB_COMMIT__ : '(unknown)'
