// Commands that are asked often and use nothing of the server, as the program with no others: the executable reads
// this bundle for them in place of the server's.
import { healthcheckCommand } from './commands/healthcheck.ts'
import { versionCommand } from './commands/version.ts'
import { runProgram } from './program.ts'

void runProgram({
  name: 'filebrowser',
  summary: 'Serve a folder in the browser',
  commands: [healthcheckCommand, versionCommand],
})
