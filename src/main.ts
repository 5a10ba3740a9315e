// The program with all of its commands.
import { commandTree } from './cli/commands.ts'
import { runProgram } from './cli/program.ts'
import { setPoolSize } from './files/disks/disks.ts'

// Before the first call that goes through the pool.
setPoolSize(process.env)
// No top-level await: the bundle inside the executable is CommonJS.
void runProgram(commandTree())
