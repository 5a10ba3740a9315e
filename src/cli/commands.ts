// The tree of commands; reads like a table of contents.

import type { Command } from './command.ts'
import { accessCommand } from './commands/access/explain.ts'
import { foldersCommand } from './commands/access/folders.ts'
import { auditCommand } from './commands/audit.ts'
import { cmdsCommand } from './commands/cmds.ts'
import { completeCommands, completionCommand } from './commands/completion.ts'
import { configCommand } from './commands/config.ts'
import { databaseCommand } from './commands/database.ts'
import { docsCommand } from './commands/docs.ts'
import { groupsCommand } from './commands/groups.ts'

import { hashCommand } from './commands/hash.ts'
import { healthcheckCommand } from './commands/healthcheck.ts'
import { helpCommand } from './commands/help-command.ts'
import { importCommand } from './commands/import.ts'
import { trashCommand } from './commands/keep/trash.ts'
import { versionsCommand } from './commands/keep/versions.ts'
import { quotasCommand } from './commands/quotas.ts'
import { rootsCommand } from './commands/roots.ts'
import { rulesCommand } from './commands/rules.ts'
import { usersCommand } from './commands/users.ts'
import { versionCommand } from './commands/version.ts'
import { ROOT_FLAGS } from './flags.ts'
import type { ServeInvocation } from './serve.ts'

export function commandTree(): Command {
  const root: Command = {
    name: 'filebrowser',
    summary: 'Serve a folder in the browser',
    about: [
      'File Browser serves a folder in the browser: look, upload, edit, share.',
      '',
      'Started without a command it serves. The first start makes a database with an administrator',
      'and shows the password once. Options are taken from, highest first: the command line, the',
      'environment (FB_...), a configuration file (.filebrowser.json, .toml or .yaml in the current',
      'folder, your home folder or /etc/filebrowser), and the database.',
      '',
      'A database of the old File Browser at the same path is read once and never changed.',
    ].join('\n'),
    examples: [
      { line: 'filebrowser -r /srv/files', says: 'Serve /srv/files on http://127.0.0.1:8080/' },
      { line: 'filebrowser -a 0.0.0.0 -p 80 -r /srv/files', says: 'Open it to the network' },
      {
        line: 'filebrowser users add mona "a long password" --scope /mona',
        says: 'Add an account',
      },
      {
        line: 'filebrowser users update admin --password "another one"',
        says: 'Set a forgotten password',
      },
      { line: 'filebrowser config set --branding.name "My files"', says: 'Change a setting' },
    ],
    flags: ROOT_FLAGS,
    // Loaded only here: the other commands start faster without the web server.
    run: async (invocation) => (await import('./serve.ts')).serve(invocation as ServeInvocation),
    commands: [],
  }
  const commands: Command[] = [
    configCommand,
    usersCommand,
    groupsCommand,
    rootsCommand,
    foldersCommand,
    accessCommand,
    rulesCommand,
    quotasCommand,
    trashCommand,
    versionsCommand,
    cmdsCommand,
    auditCommand,
    importCommand,
    databaseCommand,
    hashCommand,
    healthcheckCommand,
    versionCommand,
    completionCommand,
    helpCommand(() => root),
    docsCommand(() => root),
    ...completeCommands(() => root),
  ]
  root.commands = commands
  return root
}
