// What may be done with a folder and what is in it, in words.

import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Verb } from '../../src/api-types.ts'

/** In the order in which they are asked for. */
export const verbWords: readonly { verb: Verb; label: MessageDescriptor }[] = [
  { verb: 'see', label: msg`See` },
  { verb: 'download', label: msg`Download` },
  { verb: 'create', label: msg`Create and upload` },
  { verb: 'modify', label: msg`Edit files` },
  { verb: 'rename', label: msg`Rename and move` },
  { verb: 'delete', label: msg`Delete` },
  { verb: 'share', label: msg`Share` },
]
