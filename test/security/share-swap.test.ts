// A shared folder exchanged for a link at high speed (CWE-367): visitors get what was shared or
// nothing, never a byte, name or size of where the link leads.
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { makeShare } from '../support/shares.ts'
import { CAN_SWAP, keepExchanging } from '../support/swapper.ts'

const INSIDE = 'inside bytes'
const OUTSIDE = 'OUTSIDE BYTES '.repeat(500)
const CUES = (text: string) => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`
const ROUNDS = 100

it.runIf(CAN_SWAP)(
  'a shared folder that is swapped for a link leaks nothing of where it leads',
  async () => {
    await using app = await startApp({
      tree: { 'd/f.txt': INSIDE, 'd/s.srt': CUES(INSIDE), 'd/sub/f.txt': INSIDE },
    })
    const outside = join(app.tree.base, 'elsewhere')
    await mkdir(join(outside, 'sub'), { recursive: true })
    for (const name of ['f.txt', 'sub/f.txt', 'ELSEWHERE.txt'])
      await writeFile(join(outside, name), OUTSIDE)
    await writeFile(join(outside, 's.srt'), CUES('OUTSIDE'))
    const link = join(app.tree.base, 'link')
    await symlink(outside, link)
    const hash = await makeShare(app, '/d/')
    const doors = [
      `share/${hash}`,
      `share/${hash}/f.txt`,
      `share/${hash}/sub`,
      `dl/${hash}/f.txt`,
      `dl/${hash}/sub/f.txt`,
      `dl/${hash}?algo=tar`,
      `dl/${hash}/sub?algo=tar`,
      `subtitle/${hash}/s.srt`,
      `preview/big/${hash}/f.txt`,
    ]
    const leaks: Record<string, number> = {}
    const seen = { served: 0, refused: 0 }
    {
      await using _swapping = await keepExchanging(app.tree.at('d'), link)
      for (let round = 0; round < ROUNDS; round++)
        await Promise.all(
          doors.map(async (door) => {
            const response = await app.fetch(`/api/public/${door}`)
            const text = await response.text().catch(() => '')
            if (response.ok && text.includes('inside')) seen.served++
            if (!response.ok) seen.refused++
            if (/OUTSIDE|ELSEWHERE/.test(text) || text.includes(`"size":${OUTSIDE.length}`))
              leaks[door] = (leaks[door] ?? 0) + 1
          }),
        )
    }
    expect(leaks).toEqual({})
    // The exchange was met both ways, otherwise this proves nothing.
    expect(seen.served).toBeGreaterThan(0)
    expect(seen.refused).toBeGreaterThan(0)
  },
)
