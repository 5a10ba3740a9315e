// What lies beside the program in a release archive, so that the README's links lead somewhere.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../build/paths.ts'

const filesOf = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .sort()
    .map((name) => `${folder}/${name}`)

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
  ...filesOf('docs/decisions'),
  'docs/dependencies.md',
  'docs/deploy.md',
  'docs/filebrowser.service',
  'docs/http-api.md',
  'docs/limits.md',
  'docs/migrate-from-filebrowser.md',
  'docs/nodes.md',
  ...filesOf('docs/nodes'),
  'docs/performance.md',
  'docs/rights.md',
  'docs/roots.md',
  'docs/security.md',
  'docs/pictures/growth-of-work.svg',
  'docs/pictures/growth.svg',
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
