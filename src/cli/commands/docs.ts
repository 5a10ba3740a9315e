// `filebrowser docs` (hidden): one Markdown page per command, from the same descriptions as help.
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, flag, flagValue } from '../command.ts'
import { helpText } from '../help.ts'

const DEFAULT_OUT = 'docs/cli'

export function docsCommand(root: () => Command): Command {
  return {
    name: 'docs',
    summary: 'Write the help of all commands as Markdown',
    hidden: true,
    flags: [flag('out FOLDER', 'Where the files go', { default: DEFAULT_OUT })],
    async run({ flags, cwd, stdout }) {
      const folder = resolve(cwd, flagValue<string>(flags, 'out') ?? DEFAULT_OUT)
      await mkdir(folder, { recursive: true })
      for (const path of allPaths([root()])) {
        const file = join(folder, `${path.map(({ name }) => name).join('-')}.md`)
        await writeFile(file, page(path))
        stdout(`${file}\n`)
      }
      return 0
    },
  }
}

function allPaths(path: readonly Command[]): (readonly Command[])[] {
  const children = path.at(-1)?.commands ?? []
  const shown = children.filter(({ hidden }) => !hidden)
  return [path, ...shown.flatMap((child) => allPaths([...path, child]))]
}

function page(path: readonly Command[]): string {
  return `# ${path.map(({ name }) => name).join(' ')}\n\n\`\`\`text\n${helpText(path).trimEnd()}\n\`\`\`\n`
}
