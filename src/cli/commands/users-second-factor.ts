// `filebrowser users second-factor`: for accounts that have lost theirs, the only administrator's included.
import { resetSecondFactor } from '../../auth/second-factor/factors.ts'
import type { Command, Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'
import { plain, userNamed } from './user-table.ts'

export const usersSecondFactorCommand: Command = {
  name: 'second-factor',
  summary: 'Reset the two-step sign-in of an account',
  about:
    'Who has lost app and recovery codes, or all passkeys, signs in with the password once it is reset.',
  commands: [
    {
      name: 'reset',
      summary: 'Switch two-step sign-in off for an account',
      usage: '<id|username>',
      about:
        'Removes second factor and passkeys of an account and signs it out everywhere. A running server\n' +
        'sees it within a second.',
      examples: [
        { line: 'filebrowser users second-factor reset mona', says: 'Mona has lost her phone' },
      ],
      minArgs: 1,
      run: reset,
    },
  ],
}

async function reset(invocation: Invocation): Promise<number> {
  const [who = ''] = invocation.args
  const { username } = await withDatabase(invocation, (store) =>
    store.transaction((tx) => {
      const user = userNamed(tx, who)
      resetSecondFactor(tx, user.id)
      return user
    }),
  )
  invocation.stdout(`two-step sign-in of ${plain(username)} is off\n`)
  return 0
}
