// `filebrowser hash`: a bcrypt hash as the original makes it, for --password and old scripts.
import { MAX_PASSWORD_BYTES } from '../../auth/hash.ts'
import { badRequest } from '../../lib/errors.ts'
import type { Command } from '../command.ts'

const COST = 10

export const hashCommand: Command = {
  name: 'hash',
  summary: 'Hash a password for --password',
  about:
    'Prints the bcrypt hash of a password. The hash fits --password, FB_PASSWORD and users import.\n' +
    'Quote it with single quotes, so that the shell keeps the $ signs.',
  usage: '<password>',
  examples: [{ line: "filebrowser hash 'a long password'", says: 'Make a hash' }],
  minArgs: 1,
  async run({ args: [password = ''], stdout }) {
    if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
      throw badRequest('bcrypt: password length exceeds 72 bytes')
    const { hash } = await import('bcrypt')
    // Both letters mean the same algorithm; $2a$ is what scripts have seen so far.
    stdout(`${(await hash(password, COST)).replace(/^\$2[by]\$/, '$2a$')}\n`)
    return 0
  },
}
