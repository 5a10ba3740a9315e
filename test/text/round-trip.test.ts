import { EditorState } from '@codemirror/state'
import { expect, it } from 'vitest'
import { openLines, textOf } from '../../web/editor/code/line-end-state.ts'
import { decodeText } from '../../web/text/decode.ts'
import { encodeText } from '../../web/text/encode.ts'
import { textFiles } from '../support/text-files.ts'

it('gives more than 200 files of all encodings and line ends their bytes back', () => {
  const files = Object.entries(textFiles())
  expect(files.length).toBeGreaterThanOrEqual(200)
  for (const [name, bytes] of files) {
    const { text, encoding } = decodeText(bytes)
    const { doc, extension } = openLines(text)
    const state = EditorState.create({ doc, extensions: extension })
    expect(encodeText(textOf(state), encoding), name).toEqual({ ok: true, bytes })
  }
})
