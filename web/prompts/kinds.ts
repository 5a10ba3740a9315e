// What each dialog is given and what it answers. Null, for "dismissed", is added to every answer.

import type { ArchiveFormat } from '../api/files.ts'
import type { SearchProps } from '../search/overlay.tsx'
import type { ConfirmProps } from './confirm.tsx'
import type { ClashChoice, ConflictProps } from './conflict-types.ts'
import type { CurrentPasswordProps } from './current-password.tsx'
import type { DeleteProps } from './delete.tsx'
import type { DownloadProps } from './download.tsx'
import type { InfoProps } from './info.tsx'
import type { NewEntryProps } from './new-entry.tsx'
import type { RenameProps } from './rename.tsx'
import type { RenameManyProps } from './rename-many.tsx'
import type { ShareProps } from './share.tsx'
import type { TransferProps } from './transfer.tsx'

export interface PromptKinds {
  confirm: { props: ConfirmProps; answer: string }
  conflict: { props: ConflictProps; answer: Map<string, ClashChoice> }
  currentPassword: { props: CurrentPasswordProps; answer: string }
  delete: { props: DeleteProps; answer: true }
  download: { props: DownloadProps; answer: ArchiveFormat }
  help: { props: object; answer: never }
  info: { props: InfoProps; answer: never }
  newFile: { props: NewEntryProps; answer: string }
  newFolder: { props: NewEntryProps; answer: string }
  palette: { props: object; answer: never }
  rename: { props: RenameProps; answer: string }
  renameMany: { props: RenameManyProps; answer: true }
  search: { props: SearchProps; answer: never }
  share: { props: ShareProps; answer: never }
  transfer: { props: TransferProps; answer: string }
}

/** The properties of a dialog component: what it was opened with, and how to answer. */
export type PromptProps<K extends keyof PromptKinds> = PromptKinds[K]['props'] & {
  /** Closes the dialog; null means it was dismissed. */
  answer: (answer: PromptKinds[K]['answer'] | null) => void
}
