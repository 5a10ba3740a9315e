// `filebrowser healthcheck`: asks the running server, for containers without curl.
import { buildConfig, type Config, collectOverrides } from '../../config/config.ts'
import { defaultServerOptions, type ServerOptions } from '../../store/document.ts'
import { detectDatabase, jsonBeside } from '../../store/open-database.ts'
import { isPostgresAddress } from '../../store/postgres/address.ts'
import { openStore } from '../../store/store.ts'
import type { Command, Flag, Invocation } from '../command.ts'
import { findSources } from '../database.ts'
import { ROOT_FLAGS } from '../flags.ts'

const TIMEOUT_MS = 3000
const WHERE = ['address', 'port', 'socket', 'cert', 'key', 'baseURL']

export const healthcheckCommand: Command = {
  name: 'healthcheck',
  summary: 'Ask whether the server answers',
  about:
    'Finds the running server by the same configuration it was started with, asks for /health and\n' +
    'ends with 0 when it answers, else with 1. Made for container health checks.',
  examples: [
    {
      line: 'filebrowser healthcheck -c /config/settings.json',
      says: 'Check the server in a container',
    },
  ],
  flags: ROOT_FLAGS.filter(({ name }) => WHERE.includes(name)) satisfies readonly Flag[],
  run: healthcheck,
}

async function healthcheck(invocation: Invocation): Promise<number> {
  const { flags, env, cwd, stdout, stderr } = invocation
  const quiet = { ...invocation, notice: () => {} }
  const { file, database, postgres } = findSources(quiet)
  const config = buildConfig({
    overrides: collectOverrides({ flags, env, file }, () => {}),
    stored: await storedServer(database, postgres.env),
    database,
    cwd,
    warn: () => {},
  })
  try {
    const status = await askHealth(config)
    stdout(`${status === 200 ? 'healthy' : `unhealthy: status ${status}`}\n`)
    return status === 200 ? 0 : 1
  } catch (error) {
    stderr(`unhealthy: ${(error as Error).message}\n`)
    return 1
  }
}

// The check must not create or import anything.
async function storedServer(database: string, env: Invocation['env']): Promise<ServerOptions> {
  if (isPostgresAddress(database)) {
    const { readSettings } = await import('../../store/postgres/open.ts')
    return (await readSettings(database, env))?.server ?? defaultServerOptions()
  }
  for (const file of [database, jsonBeside(database)]) {
    if ((await detectDatabase(file)).kind !== 'json') continue
    const store = await openStore(file)
    try {
      return store.settings().server
    } finally {
      await store.close()
    }
  }
  return defaultServerOptions()
}

async function askHealth(config: Config): Promise<number> {
  const tls = config.socket === '' && config.cert !== ''
  const where =
    config.socket === ''
      ? { host: reachable(config.address), port: config.port }
      : { socketPath: config.socket }
  const { request: send } = await (tls ? import('node:https') : import('node:http'))
  return new Promise((resolve, reject) => {
    const request = send({
      ...where,
      path: `${config.baseURL}/health`,
      timeout: TIMEOUT_MS,
      agent: false,
      // The certificate is for the public name; the check only asks whether the server answers.
      rejectUnauthorized: false,
    })
    request.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.once('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    request.once('error', reject)
    request.end()
  })
}

// An address and no name: a bare container may not know what localhost is.
function reachable(address: string): string {
  if (address === '::') return '::1'
  return address === '' || address === '0.0.0.0' ? '127.0.0.1' : address
}
