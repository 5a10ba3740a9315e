// Limits of size in src/ and web/: lines of a function (blank ones and comments do not count) and of a
// file, files of a folder. `npm run check` runs it. It reads indentation, which `biome ci` guarantees, and
// takes milliseconds.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './build/paths.ts'

const MAX_FUNCTION_LINES = 80
const MAX_FILE_LINES = 400
const MAX_FILES = 25

/** Functions that are tables: one literal from their first line to their last. */
const TABLES = ['themeRules']

/** The last line of a function's head: it ends in `) {`, `): Type {` or `=> {`. */
const HEAD = /(?:\)(?:: .+)?|=>|^\}) \{$/
const STATEMENT = /^(?:\} )?(?:if|else|for|while|switch|catch|try|do|with)\b/

const files = ['src', 'web'].flatMap(listSources)
const problems = [...files.flatMap(checkFile), ...largeFolders(files)]
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n${problems.length} sizes are too large\n`)
  process.exit(1)
}

function listSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}

function largeFolders(files: readonly string[]): string[] {
  return [...Map.groupBy(files, dirname)]
    .filter(([, { length }]) => length > MAX_FILES)
    .map(([folder, { length }]) => `${folder}: ${length} files, more than ${MAX_FILES}`)
}

function checkFile(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n')
  const isLong = lines.length > MAX_FILE_LINES
  return [...(isLong ? [`${file}: ${lines.length} lines`] : []), ...longFunctions(file, lines)]
}

function longFunctions(file: string, lines: readonly string[]): string[] {
  return lines.flatMap((head, start) => {
    const text = head.trim()
    if (!HEAD.test(text) || STATEMENT.test(text)) return []
    const indent = head.length - head.trimStart().length
    const end = lines.findIndex((line, at) => at > start && closes(line, indent))
    const count = lines.slice(start + 1, end).filter(isCode).length
    const name = `${file}:${start + 1}`
    return count <= MAX_FUNCTION_LINES || isTable(text) ? [] : [`${name}: ${count} lines: ${text}`]
  })
}

function isTable(head: string): boolean {
  return TABLES.some((name) => head.includes(`function ${name}(`))
}

function closes(line: string, indent: number): boolean {
  return line[indent] === '}' && line.slice(0, indent).trim() === ''
}

function isCode(line: string): boolean {
  return !/^\s*(?:$|\/\/|\/?\*|\{\/\*.*\*\/\}$)/.test(line)
}
