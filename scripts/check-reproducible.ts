// `npm run check:reproducible`: packages this commit twice, here and in a copy of the project in another
// folder with a temporary folder of its own, and compares the executables byte by byte.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OUT_DIR, ROOT } from './build/paths.ts'
import { shortCommit } from './build/server.ts'

// Outside of the project, where nothing of it is found by looking further up.
const scratch = mkdtempSync(join(ROOT, '..', 'reproducible-'))
try {
  const copy = join(scratch, 'project')
  mkdirSync(copy)
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  for (const name of files.split('\0').filter(Boolean))
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  cpSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  const temporary = join(scratch, 'tmp')
  mkdirSync(temporary)
  const [here, there] = [digestOf(ROOT, {}), digestOf(copy, { TMPDIR: temporary })]
  process.stdout.write(`${here} here\n${there} in ${copy}\n`)
  if (here !== there) throw new Error('two builds of the same sources are not the same')
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function digestOf(root: string, env: NodeJS.ProcessEnv): string {
  const out = root === ROOT ? OUT_DIR : join(root, 'dist')
  for (const part of ['server', 'web']) rmSync(join(out, `.${part}.stamp`), { force: true })
  execFileSync(process.execPath, ['scripts/package.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, FILEBROWSER_COMMIT: shortCommit(), ...env },
  })
  const name = process.platform === 'win32' ? 'filebrowser.exe' : 'filebrowser'
  return createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex')
}
