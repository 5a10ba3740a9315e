// What lies beside the program in a release archive, so that the README's links lead somewhere.

/** Relative to the root of the project. */
export const PAPERS = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'THIRD-PARTY-NOTICES',
  'compose.yaml',
  'docs/architecture.md',
  'docs/cli.md',
  'docs/decisions.md',
  'docs/dependencies.md',
  'docs/deploy.md',
  'docs/filebrowser.service',
  'docs/http-api.md',
  'docs/migrate-from-filebrowser.md',
  'docs/security.md',
  'docs/screenshots/list-light.webp',
  'filebrowser.json.example',
] as const
