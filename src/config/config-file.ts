// Finds and reads the one configuration file. Keys are compared without regard to case.
import { readFileSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { parse as parseToml } from 'smol-toml'
import { AppError, badRequest, errnoOf } from '../lib/errors.ts'
import { parseYaml } from './read-yaml.ts'

/** Extensions in the order in which one folder is searched. */
const SEARCH_ORDER = [
  'json',
  'toml',
  'yaml',
  'yml',
  'properties',
  'props',
  'prop',
  'hcl',
  'tfvars',
  'dotenv',
  'env',
  'ini',
]
const BASE_NAME = '.filebrowser'
const SYSTEM_FOLDER = '/etc/filebrowser'
const MAX_FILE_BYTES = 1024 * 1024

const DECODERS: Record<string, (text: string) => unknown> = {
  json: (text) => JSON.parse(text),
  toml: (text) => parseToml(text),
  yaml: (text) => parseYaml(text),
  yml: (text) => parseYaml(text),
  dotenv: (text) => parseEnv(text),
  env: (text) => parseEnv(text),
}

export interface ConfigFile {
  file: string
  /** Value of a key; nested objects are reached with dots. Absent and null are undefined. */
  get(key: string): unknown
  /** Top-level keys as written. */
  keys: readonly string[]
}

interface ConfigFileSearch {
  /** From `--config`; empty searches the usual folders. */
  explicit: string
  cwd: string
  /** Home folder, empty when there is none. */
  home: string
}

interface FoundConfig {
  config: ConfigFile | null
  /** Why an explicitly named file is not used; empty when there is nothing to say. */
  warning: string
}

/**
 * Reads the configuration file, if there is one. A missing or unreadable explicit file is only
 * warned about, as start scripts of the original rely on that; broken content is an AppError.
 */
export function findConfigFile(search: ConfigFileSearch): FoundConfig {
  if (search.explicit !== '') return readExplicit(search.explicit, search.cwd)
  const folders = [search.cwd, search.home, SYSTEM_FOLDER].filter((folder) => folder !== '')
  for (const folder of folders) {
    for (const extension of SEARCH_ORDER) {
      const file = join(folder, `${BASE_NAME}.${extension}`)
      if (!isFile(file)) continue
      const text = readText(file)
      return text === null
        ? { config: null, warning: `the configuration file ${file} cannot be read and is ignored` }
        : { config: decode(file, extension, text), warning: '' }
    }
  }
  return { config: null, warning: '' }
}

function readExplicit(named: string, cwd: string): FoundConfig {
  const file = resolve(cwd, named)
  // The example that comes with the program may be used as it is.
  const extension = extname(file.replace(/\.example$/, '')).slice(1)
  if (!SEARCH_ORDER.includes(extension)) {
    const known = Object.keys(DECODERS).join(', ')
    return { config: null, warning: `${file} is ignored: its extension is none of ${known}` }
  }
  const text = readText(file)
  if (text === null) {
    return {
      config: null,
      warning: `the configuration file ${file} does not exist or cannot be read`,
    }
  }
  return { config: decode(file, extension, text), warning: '' }
}

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() === false
  } catch (error) {
    // A folder that may not be read, such as /root as HOME of a service user.
    if (['EACCES', 'EPERM', 'ELOOP'].includes(errnoOf(error))) return false
    throw error
  }
}

function readText(file: string): string | null {
  try {
    if (statSync(file).size > MAX_FILE_BYTES)
      throw badRequest(`the configuration file ${file} is larger than 1 MiB`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM'].includes(errnoOf(error))) return null
    throw error
  }
}

function decode(file: string, extension: string, text: string): ConfigFile {
  const decoder = DECODERS[extension]
  if (!decoder) {
    throw badRequest(
      `cannot read ${file}: .${extension} files are not supported, use json, yaml or toml`,
    )
  }
  let value: unknown
  try {
    value = decoder(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0]
    throw new AppError('bad_request', `cannot read ${file}: ${reason}`, { cause: error })
  }
  if (value === null || value === undefined) value = {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw badRequest(`cannot read ${file}: expected keys and values at the top`)
  const record = value as Record<string, unknown>
  return { file, keys: Object.keys(record), get: (key) => lookUp(record, key) }
}

function lookUp(record: Record<string, unknown>, key: string): unknown {
  const direct = ownValue(record, key)
  if (direct !== undefined) return direct
  const dot = key.indexOf('.')
  if (dot < 0) return undefined
  const inner = ownValue(record, key.slice(0, dot))
  if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return undefined
  return lookUp(inner as Record<string, unknown>, key.slice(dot + 1))
}

function ownValue(record: Record<string, unknown>, key: string): unknown {
  const folded = key.toLowerCase()
  for (const [name, value] of Object.entries(record)) {
    if (name.toLowerCase() === folded) return value ?? undefined
  }
  return undefined
}
