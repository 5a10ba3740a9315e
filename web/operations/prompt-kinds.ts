// What each dialog is given and what it answers. Null, for "dismissed", is added to every answer.

import type { ReactNode } from 'react'
import type { FileEntry, PasskeyRecord } from '../../src/api-types.ts'
import type { Job } from '../../src/job-types.ts'
import type { ArchiveFormat } from '../api/files.ts'
import type { Proof } from '../api/second-factor.ts'
import type { MadeToken } from '../api/tokens.ts'
import type { ButtonTone } from '../ui/button.tsx'
import type { IconOf } from '../ui/file-icon.tsx'
import type { ClashChoice, ConflictProps, TransferItem, TransferKind } from './transfer-types.ts'

interface ConfirmAnswer {
  id: string
  label: string
  tone?: ButtonTone
}

interface ConfirmProps {
  title: string
  /** One or two sentences: what happens, and whether it can be undone. */
  text: ReactNode
  /** The buttons after Cancel, the main one last. */
  answers: readonly ConfirmAnswer[]
  cancelLabel?: string
}

interface CurrentPasswordProps {
  title: string
  text?: string
  confirmLabel: string
  tone?: ButtonTone
  /** Does the thing, once it is proved who asks; a rejection keeps the dialog open with the reason. */
  attempt: () => Promise<void>
  /** Better words for a failure than the general ones, or null. */
  explain?: (error: unknown) => string | null
}

interface ProveFactorProps {
  title: string
  text: string
  confirmLabel: string
  tone?: ButtonTone
  /** Does the thing; a rejection keeps the dialog open with the reason. */
  attempt: (password: string, proof: Proof) => Promise<void>
}

interface DeleteProps {
  items: readonly TransferItem[]
  /** Not into the trash of the server. */
  forGood: boolean
}

export interface NewEntryProps {
  folder: string
}

interface RenameManyProps {
  /** All in one folder, in the order of the screen. */
  entries: readonly FileEntry[]
}

interface TransferProps {
  /** 'choose' asks for a folder alone, without items; 'extract' is for what is in an archive. */
  kind: TransferKind | 'choose' | 'extract'
  items: readonly TransferItem[]
  folder: string
  /** Offers encodings for the names in an archive; '' is for a guess. */
  onEncoding?: (name: string) => void
}

interface ArchivePasswordProps {
  archive: string
  /** Another one was tried. */
  isWrong: boolean
}

interface SearchProps {
  /** The folder that is open; searched unless `below` is another. */
  folder: string
  below?: string
  /** What is searched for at once, '' for nothing yet. */
  query: string
}

export interface InfoProps {
  folder: string
  /** Nothing means the folder itself. */
  entries: readonly FileEntry[]
}

export interface PromptKinds {
  addPasskey: { props: { name: string }; answer: PasskeyRecord }
  archivePassword: { props: ArchivePasswordProps; answer: string }
  confirm: { props: ConfirmProps; answer: string }
  conflict: { props: ConflictProps; answer: Map<string, ClashChoice> }
  currentPassword: { props: CurrentPasswordProps; answer: true }
  delete: { props: DeleteProps; answer: true }
  /** `isKept`: the archive is made in the folder. */
  download: { props: InfoProps & { isKept?: boolean }; answer: ArchiveFormat }
  enrolFactor: { props: object; answer: string[] }
  /** Answers with the job that fetches it. */
  fetchFile: { props: NewEntryProps & { operation: string }; answer: Job }
  help: { props: object; answer: never }
  info: { props: InfoProps; answer: never }
  /** `isForApp`: it is called an app password, as which it is used. */
  madeToken: { props: { made: MadeToken; isForApp?: boolean }; answer: never }
  newFile: { props: NewEntryProps; answer: string }
  newFromTemplate: { props: NewEntryProps; answer: string }
  newFolder: { props: NewEntryProps; answer: string }
  newToken: { props: { isForApp?: boolean }; answer: MadeToken }
  palette: { props: object; answer: never }
  proveFactor: { props: ProveFactorProps; answer: true }
  recoveryCodes: { props: { codes: readonly string[] }; answer: never }
  rename: { props: { entry: Pick<FileEntry, 'path' | 'name' | 'isDir'> }; answer: string }
  renamePasskey: { props: { passkey: PasskeyRecord }; answer: true }
  renameMany: { props: RenameManyProps; answer: true }
  search: { props: SearchProps; answer: never }
  share: { props: { path: string; entry: IconOf }; answer: never }
  transfer: { props: TransferProps; answer: string }
  /** Answers that one of them is what the file is now. */
  versions: { props: { path: string; isText: boolean }; answer: true }
}

/** The properties of a dialog component: what it was opened with, and how to answer. */
export type PromptProps<K extends keyof PromptKinds> = PromptKinds[K]['props'] & {
  /** Closes the dialog; null means it was dismissed. */
  answer: (answer: PromptKinds[K]['answer'] | null) => void
}
