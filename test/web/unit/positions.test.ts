import { expect, it } from 'vitest'
import type { TokenUser } from '../../../src/access-types.ts'
import type { FileEntry } from '../../../src/api-types.ts'
import { session } from '../../../web/state/session.ts'
import { createFilesSource } from '../../../web/viewers/frame/files-source.ts'
import { recallPosition, rememberPosition } from '../../../web/viewers/frame/positions.ts'

it('remembers a position for the account that is signed in, not for all at the browser', () => {
  const source = createFilesSource(async () => [])
  const book = { path: '/book.epub' } as FileEntry
  session.user = { id: 1 } as TokenUser
  rememberPosition(source, book, '3:0.5')
  session.user = { id: 2 } as TokenUser
  expect(recallPosition(source, book)).toBeNull()
  session.user = { id: 1 } as TokenUser
  expect(recallPosition(source, book)).toBe('3:0.5')
})
