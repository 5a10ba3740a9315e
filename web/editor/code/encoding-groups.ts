import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { EncodingGroup } from '../../text/encodings.ts'

export const encodingGroupNames: Record<EncodingGroup, MessageDescriptor> = {
  unicode: msg`Unicode`,
  western: msg`Western European`,
  central: msg`Central and South European`,
  baltic: msg`Baltic and Nordic`,
  cyrillic: msg`Cyrillic`,
  greek: msg`Greek`,
  turkish: msg`Turkish`,
  hebrewArabic: msg`Hebrew and Arabic`,
  thaiVietnamese: msg`Thai and Vietnamese`,
  chinese: msg`Chinese`,
  japanese: msg`Japanese`,
  korean: msg`Korean`,
}
