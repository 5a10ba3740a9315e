// What each dialog is given and what it answers. Null, for "dismissed", is added to every answer.

import type { SearchProps } from '../search/overlay.tsx'
import type { ConfirmProps } from './confirm.tsx'
import type { ClashChoice, ConflictProps } from './conflict-types.ts'
import type { CurrentPasswordProps } from './current-password.tsx'
import type { ShareProps } from './share.tsx'

export interface PromptKinds {
  confirm: { props: ConfirmProps; answer: string }
  conflict: { props: ConflictProps; answer: Map<string, ClashChoice> }
  currentPassword: { props: CurrentPasswordProps; answer: string }
  search: { props: SearchProps; answer: never }
  share: { props: ShareProps; answer: never }
}

/** The properties of a dialog component: what it was opened with, and how to answer. */
export type PromptProps<K extends keyof PromptKinds> = PromptKinds[K]['props'] & {
  /** Closes the dialog; null means it was dismissed. */
  answer: (answer: PromptKinds[K]['answer'] | null) => void
}
