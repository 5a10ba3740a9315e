// Enforces the directions of imports (the tables below), and that there are no cycles. Imports of types
// count like others. `npm run check` runs it; it takes a few dozen milliseconds.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './build/paths.ts'

interface Import {
  specifier: string
  typeOnly: boolean
  /** `import()`, `new URL()` and workers: checked for direction, but they cannot make a cycle at load. */
  lazy: boolean
}

/** Areas of src/, the lowest first: each imports those of lower floors only, types included. */
const SRC_LAYERS = [
  ['api-types', 'audit-types', 'lock-types', 'native-cache', 'web-classes', 'websockets'],
  ['access-types', 'history-types', 'job-types', 'keep-types', 'provider-types'],
  ['lib'],
  ['inside'],
  ['store', 'programs'],
  ['config'],
  ['audit'],
  ['files'],
  ['access'],
  ['quotas', 'history'],
  ['keep'],
  ['auth'],
  ['hooks', 'openapi', 'dav', 'health'],
  ['operations'],
  ['jobs'],
  ['http'],
  ['routes'],
  ['app'],
  ['server'],
  ['cli'],
  ['main', 'boot'],
]

/** Areas of src/files/, the lowest first. */
const FILES_LAYERS = [
  ['disks', 'pictures', 'remote'],
  ['volume', 'caseless'],
  ['place'],
  ['listing'],
  ['transfer'],
  ['archive', 'extract', 'preview', 'subtitle'],
]

/**
 * Areas of web/, the lowest first: each imports those of lower layers only. The editor and the viewers
 * import each other as well: an editor shows a preview, a viewer a text.
 */
const WEB_LAYERS = [
  ['text', 'styles'],
  ['lib'],
  ['ui'],
  ['api'],
  ['state'],
  ['operations'],
  ['layout'],
  ['editor', 'viewers'],
  ['listing', 'search', 'terminal', 'uploads'],
  ['prompts'],
  ['installed', 'settings', 'shares'],
  ['screens'],
  ['app'],
  ['main'],
]
const VIEWERS = WEB_LAYERS.findIndex((areas) => areas.includes('viewers'))

/** What the page runs of the server's code: functions of texts alone. */
const SHARED = new Set([
  'src/lib/vpath.ts',
  'src/lib/name-order.ts',
  'src/lib/fold-text.ts',
  'src/lib/locks.ts',
])

const HONO_USERS = /^src\/((http|routes)\/|app\.ts$|server\.ts$)/

const IMPORT =
  /(?:^|[;\s}])(import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?['"]([^'"]+)['"]|\b(?:(import)|new\s+URL)\s*\(\s*(['"`])((?:(?!\5).)*)\5/gm

const problems: string[] = []
const graph = new Map<string, string[]>()

for (const folder of ['src', 'web']) {
  for (const file of listSources(folder)) {
    const targets: string[] = []
    for (const { specifier, typeOnly, lazy } of importsOf(file)) {
      const problem = specifier.startsWith('.')
        ? checkRelative(file, specifier, typeOnly)
        : checkPackage(file, specifier)
      if (problem) problems.push(`${file}: ${specifier}: ${problem}`)
      if (specifier.startsWith('.') && !lazy) targets.push(resolveFrom(file, specifier))
    }
    graph.set(file, targets)
  }
}
for (const cycle of findCycles(graph)) problems.push(`cycle: ${cycle.join(' -> ')}`)

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n${problems.length} import problems\n`)
  process.exit(1)
}
process.stdout.write(`imports of ${graph.size} files follow the rules\n`)

function listSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}

function importsOf(file: string): Import[] {
  const source = withoutComments(readFileSync(join(ROOT, file), 'utf8'))
  return [...source.matchAll(IMPORT)].flatMap((match) => {
    const specifier = match[3] ?? match[6]
    if (!specifier) return []
    // `new URL(text)` with something that is no module path is an ordinary address.
    if (match[3] === undefined && match[4] === undefined && !specifier.startsWith('.')) return []
    const lazy = match[3] === undefined || specifier.endsWith('?worker')
    return [{ specifier, typeOnly: match[2] !== undefined, lazy }]
  })
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

function checkRelative(file: string, specifier: string, typeOnly: boolean): string | null {
  const target = resolveFrom(file, specifier)
  if (!existsSync(join(ROOT, target))) return 'no such file'
  if (file.startsWith('web/')) {
    if (target.startsWith('web/') || target.startsWith('locales/')) return checkWeb(file, target)
    const isType = /^src\/(access|api|audit|history|job|keep|lock|provider)-types\.ts$/.test(target)
    if (SHARED.has(target) || (isType && typeOnly)) return null
    return `web/ takes only ${[...SHARED].join(', ')} from src/ and types that travel`
  }
  if (target === 'package.json') return null
  if (!target.startsWith('src/')) return 'src/ imports only from src/'
  return checkServer(file, target)
}

function checkWeb(file: string, target: string): string | null {
  const [from, to] = [areaOf(file), areaOf(target)]
  if (from === to || target.startsWith('locales/')) return null
  const [own, other] = [layerOf(WEB_LAYERS, from), layerOf(WEB_LAYERS, to)]
  if (own === undefined) return `web/${from} has no layer in scripts/check-imports.ts`
  if (other === undefined) return `web/${to} has no layer in scripts/check-imports.ts`
  if (other < own || (own === other && own === VIEWERS)) return null
  return `${from} must not import ${to}`
}

function layerOf(layers: readonly string[][], area: string): number | undefined {
  const at = layers.findIndex((areas) => areas.includes(area))
  return at < 0 ? undefined : at
}

function checkServer(file: string, target: string): string | null {
  const isInFiles = areaOf(file) === 'files' && areaOf(target) === 'files'
  const layers = isInFiles ? FILES_LAYERS : SRC_LAYERS
  const [from, to] = [file, target].map((path) => areaOf(path, isInFiles ? 2 : 1)) as [
    string,
    string,
  ]
  if (from === to) return null
  const fromLayer = layerOf(layers, from)
  const toLayer = layerOf(layers, to)
  if (fromLayer === undefined || toLayer === undefined)
    return `src/${fromLayer === undefined ? from : to} has no row in the table of scripts/check-imports.ts`
  return toLayer < fromLayer ? null : `${from} must not import ${to}`
}

function checkPackage(file: string, specifier: string): string | null {
  if (file.startsWith('web/') && specifier.startsWith('node:'))
    return 'a browser has no node: modules'
  if (/^(hono|@hono\/)/.test(specifier) && !HONO_USERS.test(file)) {
    return 'only http/, routes/, app.ts and server.ts import hono'
  }
  if (file.startsWith('src/') && /^(react|valtio|wouter|@lingui\/)/.test(specifier)) {
    return 'the server renders nothing'
  }
  return null
}

/** `src/files/place/scope.ts` is in area `files`, at depth 2 in `place`; `src/app.ts` in area `app`. */
function areaOf(file: string, depth = 1): string {
  return file.split('/')[depth]?.replace(/\.tsx?$/, '') ?? ''
}

function resolveFrom(file: string, specifier: string): string {
  return join(dirname(file), specifier.replace(/\?\w+$/, '')).replaceAll('\\', '/')
}

/** One cycle for every back edge of a depth-first walk. */
function findCycles(edges: Map<string, string[]>): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, trail: string[]): void => {
    const start = trail.indexOf(file)
    if (start >= 0) {
      cycles.push([...trail.slice(start), file])
      return
    }
    if (done.has(file)) return
    for (const target of edges.get(file) ?? []) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of edges.keys()) visit(file, [])
  return cycles
}
