// `filebrowser help [command…]`.
import type { Command } from '../command.ts'
import { helpText } from '../help.ts'

export function helpCommand(root: () => Command): Command {
  return {
    name: 'help',
    summary: 'Help about a command',
    usage: '[command…]',
    maxArgs: Number.POSITIVE_INFINITY,
    async run({ args, stdout, stderr }) {
      const path = [root()]
      for (const word of args) {
        const child = path.at(-1)?.commands?.find(({ name }) => name === word)
        if (!child) {
          stderr(`There is no command "${args.join(' ')}".\n\n${helpText([root()])}`)
          return 0
        }
        path.push(child)
      }
      stdout(helpText(path))
      return 0
    },
  }
}
