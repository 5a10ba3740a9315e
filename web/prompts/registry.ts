// Which component shows which dialog. Each is a chunk of its own, loaded when first opened.

import type { ComponentType } from 'react'
import { onDemandAtOnce } from '../lib/page/on-demand.tsx'
import type { PromptKinds, PromptProps } from '../operations/prompt-kinds.ts'

type Registry = { [K in keyof PromptKinds]: ComponentType<PromptProps<K>> }

export const promptComponents: Registry = {
  addPasskey: onDemandAtOnce(async () => (await import('./passkeys/add.tsx')).AddPasskeyPrompt),
  archivePassword: onDemandAtOnce(
    async () => (await import('./archive-password.tsx')).ArchivePasswordPrompt,
  ),
  confirm: onDemandAtOnce(async () => (await import('./confirm.tsx')).ConfirmPrompt),
  conflict: onDemandAtOnce(async () => (await import('./transfer/conflict.tsx')).ConflictPrompt),
  currentPassword: onDemandAtOnce(
    async () => (await import('./current-password.tsx')).CurrentPasswordPrompt,
  ),
  enrolFactor: onDemandAtOnce(async () => (await import('./second-factor/enrol.tsx')).EnrolPrompt),
  proveFactor: onDemandAtOnce(async () => (await import('./second-factor/prove.tsx')).ProvePrompt),
  recoveryCodes: onDemandAtOnce(
    async () => (await import('./second-factor/recovery-codes.tsx')).RecoveryCodesPrompt,
  ),
  search: onDemandAtOnce(async () => (await import('../search/overlay.tsx')).SearchOverlay),
  share: onDemandAtOnce(async () => (await import('./share.tsx')).SharePrompt),
  delete: onDemandAtOnce(async () => (await import('./delete.tsx')).DeletePrompt),
  download: onDemandAtOnce(async () => (await import('./download.tsx')).DownloadPrompt),
  fetchFile: onDemandAtOnce(async () => (await import('./fetch-file.tsx')).FetchFilePrompt),
  help: onDemandAtOnce(async () => (await import('./help.tsx')).HelpPrompt),
  info: onDemandAtOnce(async () => (await import('./info.tsx')).InfoPrompt),
  madeToken: onDemandAtOnce(async () => (await import('./tokens/made-token.tsx')).MadeTokenPrompt),
  newFile: onDemandAtOnce(async () => (await import('./new-entry.tsx')).NewFilePrompt),
  newFolder: onDemandAtOnce(async () => (await import('./new-entry.tsx')).NewFolderPrompt),
  newFromTemplate: onDemandAtOnce(
    async () => (await import('./templates/new-from-template.tsx')).NewFromTemplatePrompt,
  ),
  newToken: onDemandAtOnce(async () => (await import('./tokens/new-token.tsx')).NewTokenPrompt),
  palette: onDemandAtOnce(async () => (await import('../search/palette.tsx')).PalettePrompt),
  rename: onDemandAtOnce(async () => (await import('./rename.tsx')).RenamePrompt),
  renameMany: onDemandAtOnce(async () => (await import('./rename-many.tsx')).RenameManyPrompt),
  renamePasskey: onDemandAtOnce(
    async () => (await import('./passkeys/rename.tsx')).RenamePasskeyPrompt,
  ),
  transfer: onDemandAtOnce(async () => (await import('./transfer/transfer.tsx')).TransferPrompt),
  versions: onDemandAtOnce(async () => (await import('./versions/versions.tsx')).VersionsPrompt),
}
