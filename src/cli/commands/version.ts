// `filebrowser version`: one line that scripts parse.
import { COMMIT, VERSION } from '../../lib/version.ts'
import type { Command } from '../command.ts'

export const versionCommand: Command = {
  name: 'version',
  summary: 'Print the version',
  maxArgs: Number.POSITIVE_INFINITY,
  async run({ stdout }) {
    stdout(`File Browser v${VERSION}/${COMMIT}\n`)
    return 0
  },
}
