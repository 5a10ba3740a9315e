// Two builds of the same sources are the same bytes: nothing of the machine that made the executable is in
// it. `npm run check:reproducible` makes two and compares them.
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import { programCommand } from '../support/program.ts'

const [program, ...leading] = programCommand()

it.skipIf(leading.length > 0)(
  'the executable names no folder of the machine that made it',
  async () => {
    const bytes = await readFile(program)
    for (const path of [`${ROOT}/`, `${tmpdir()}/compile-server-`])
      expect(bytes.includes(path), path).toBe(false)
    expect(bytes.includes('server/boot.cjs')).toBe(true)
  },
)
