// Groups of operations: what an operation shares with its neighbours is filled in here, so that
// the tables of paths state only what is its own.
import { choice, failures, inPath } from './shorthands.ts'
import type { Answers, Method, Operation, Parameter, Paths, RequestBody } from './types.ts'

type Access = 'everybody' | 'token' | 'token or cookie' | 'share'

const SECURITY: Record<Access, Operation['security']> = {
  everybody: [],
  token: [{ token: [] }],
  'token or cookie': [{ token: [] }, { cookie: [] }],
  share: [{}, { sharePassword: [] }, { shareTicket: [] }],
}

/** Parameters by their name in the path. */
const PATH_PARAMETERS: Record<string, Parameter> = {
  // OpenAPI cannot say that a parameter spans segments, so the description says it.
  path: inPath(
    'path',
    'Path of an entry below the root of the account, each segment percent-encoded, slashes kept. A trailing slash marks a folder.',
  ),
  hash: inPath('hash', 'The eight characters of a share link.'),
  size: inPath(
    'size',
    '`thumb` fills 256×256, `big` fits into 1080×1080.',
    choice(['thumb', 'big']),
  ),
}

export interface Group {
  tag: string
  /** Who may call. By default whoever is signed in: by token, and for GET also by cookie. */
  access?: Access
  /** Parameters that PATH_PARAMETERS lacks, or that mean something else here. */
  inPath?: Record<string, Parameter>
}

interface Call {
  id: string
  summary: string
  description?: string
  /** Instead of the access of the group. */
  access?: Access
  /** Parameters beside those in the path. */
  parameters?: Parameter[]
  body?: RequestBody
  /** Answers beside 401, and 408 and 429 of calls that take JSON. */
  answers: Answers
}

type Route = `${Uppercase<Method>} /${string}`

export const call = (id: string, summary: string, own: Omit<Call, 'id' | 'summary'>): Call => {
  return { id, summary, ...own }
}

/** The operations of a group, by method and path. */
export function operations(group: Group, calls: Record<Route, Call>): Paths {
  const paths: Paths = {}
  for (const [route, own] of Object.entries(calls)) {
    const [verb = '', path = ''] = route.split(' ')
    const method = verb.toLowerCase() as Method
    paths[path] = { ...paths[path], [method]: complete(group, method, path, own) }
  }
  return paths
}

function complete(group: Group, method: Method, path: string, own: Call): Operation {
  const access = own.access ?? group.access ?? (method === 'get' ? 'token or cookie' : 'token')
  const known = { ...PATH_PARAMETERS, ...group.inPath }
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parameters = [...names.flatMap((name) => known[name] ?? []), ...(own.parameters ?? [])]
  const takesJson = own.body && 'application/json' in own.body.content
  return {
    operationId: own.id,
    summary: own.summary,
    ...(own.description ? { description: own.description } : {}),
    tags: [group.tag],
    security: SECURITY[access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(own.body ? { requestBody: own.body } : {}),
    responses: {
      ...own.answers,
      ...(access === 'everybody' ? {} : failures(401)),
      ...(takesJson ? failures(408, 429) : {}),
    },
  }
}
