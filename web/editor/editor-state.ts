// What the parts of the editor show of the open file. Only open-file.ts changes it.

import { proxy } from 'valtio'
import type { ApiError } from '../api/client.ts'
import type { Encoded } from '../text/encode.ts'
import { UTF8 } from '../text/encodings.ts'
import type { LineEnd } from '../text/line-ends.ts'
import type { Draft } from './drafts.ts'

export type Unencodable = Extract<Encoded, { reason: 'unencodable' }>

/** What stands between the editor and a simple save, shown as a bar above the text. */
export type Notice =
  | { kind: 'changed' | 'gone' }
  | { kind: 'unencodable'; problem: Unencodable }
  | { kind: 'draft'; draft: Draft }

export const editor = proxy({
  phase: 'loading' as 'loading' | 'ready' | 'failed' | 'forbidden' | 'large' | 'binary',
  error: null as ApiError | null,
  path: '',
  /** Why nothing can be changed; null when it can. */
  readOnly: null as 'permission' | 'encoding' | 'binary' | null,
  dirty: false,
  saving: false,
  encoding: UTF8,
  lineEnd: '\n' as LineEnd,
  mixedEnds: false,
  savedAtMs: null as number | null,
  draftAtMs: null as number | null,
  notice: null as Notice | null,
  /** The text on disk while it is compared with the one being edited. */
  comparing: null as { with: 'saved' | 'disk' | 'draft'; text: string } | null,
  /** Grows when another text is put in the editor, so that the view is made anew. */
  generation: 0,
})
