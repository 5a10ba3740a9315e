// What lies beside the program in a release archive, so that the README's links lead somewhere.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../build/paths.ts'

const DECISIONS = readdirSync(join(ROOT, 'docs/decisions'))
  .sort()
  .map((name) => `docs/decisions/${name}`)

/** Relative to the root of the project. */
export const PAPERS: readonly string[] = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'THIRD-PARTY-NOTICES',
  'compose.yaml',
  'docs/architecture.md',
  'docs/cli.md',
  ...DECISIONS,
  'docs/dependencies.md',
  'docs/deploy.md',
  'docs/filebrowser.service',
  'docs/http-api.md',
  'docs/limits.md',
  'docs/migrate-from-filebrowser.md',
  'docs/nodes.md',
  'docs/performance.md',
  'docs/rights.md',
  'docs/roots.md',
  'docs/security.md',
  'docs/screenshots/editor-light.webp',
  'docs/screenshots/gallery-dark.webp',
  'docs/screenshots/list-light.webp',
  'docs/screenshots/list-rtl-light.webp',
  'docs/screenshots/mobile-list-light.webp',
  'docs/translating.md',
  'docs/trash.md',
  'docs/versions.md',
  'docs/webdav.md',
  'filebrowser.json.example',
  'locales/glossary.md',
]
