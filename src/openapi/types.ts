// The small part of OpenAPI 3.1 that the document uses, and shorthands for writing it.
// https://spec.openapis.org/oas/v3.1.1.html

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  enum?: (string | number | boolean)[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  default?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  contentMediaType?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema: Schema
}

export interface Header {
  description?: string
  schema: Schema
}

export interface Answer {
  description: string
  headers?: Record<string, Header>
  content?: Record<string, { schema: Schema }>
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, Answer>
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head'
export type PathItem = { [M in Method]?: Operation } & { description?: string }
export type Paths = Record<string, PathItem>

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const text = (description?: string): Schema => described({ type: 'string' }, description)
export const flag = (description?: string): Schema => described({ type: 'boolean' }, description)
export const integer = (description?: string, minimum = 0): Schema =>
  described({ type: 'integer', minimum }, description)
export const time = (description?: string): Schema =>
  described({ type: 'string', format: 'date-time' }, description)
export const list = (items: Schema, description?: string): Schema =>
  described({ type: 'array', items }, description)
export const oneOf = (values: string[], description?: string): Schema =>
  described({ type: 'string', enum: values }, description)

/** All properties are required except those named in `optional`. */
export function object(
  properties: Record<string, Schema>,
  { optional = [], description }: { optional?: string[]; description?: string } = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return described({ type: 'object', properties, required }, description)
}

function described(schema: Schema, description: string | undefined): Schema {
  return description === undefined ? schema : { ...schema, description }
}

export const query = (name: string, description: string, schema: Schema = text()): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})

export const header = (name: string, description: string, schema: Schema = text()): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
})

/** A required header. */
export const needed = (parameter: Parameter): Parameter => ({ ...parameter, required: true })

const inPath = (name: string, description: string, schema: Schema = text()): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})

/** The path of an entry. OpenAPI cannot say that a parameter spans segments, so it is said here. */
export const PATH = inPath(
  'path',
  'Path of an entry below the root of the account, each segment percent-encoded, slashes kept. A trailing slash marks a folder.',
)
export const HASH = inPath('hash', 'The eight characters of a share link.')
export const SUBPATH = inPath('path', 'Path below the shared folder; empty for the share itself.')
export const USER_ID = inPath('id', 'Number of the account.', integer())
export const SESSION_ID = inPath('id', 'Id of the session, as listed.')
export const PREVIEW_SIZE = inPath(
  'size',
  '`thumb` fills 256×256, `big` fits into 1080×1080.',
  oneOf(['thumb', 'big']),
)
export const PREVIEW_DISPLAY = query(
  'display',
  '`true` makes a picture any browser can show, whatever the file is; `full` keeps its width and height where the file itself is nothing for browsers.',
  oneOf(['true', 'full']),
)

export const json = (schema: Schema, description = 'The answer.'): Answer => ({
  description,
  content: { 'application/json': { schema } },
})

/** An answer of nothing but its status line, such as `200 OK`. */
export const status = (description: string, headers?: Record<string, Header>): Answer => ({
  description,
  ...(headers ? { headers } : {}),
  content: { 'text/plain': { schema: ref('StatusLine') } },
})

export const empty = (description: string, headers?: Record<string, Header>): Answer => ({
  description,
  ...(headers ? { headers } : {}),
})

export const bytes = (description: string, mediaType = 'application/octet-stream'): Answer => ({
  description,
  content: { [mediaType]: { schema: { type: 'string', contentMediaType: mediaType } } },
})

export const jsonBody = (schema: Schema): NonNullable<Operation['requestBody']> => ({
  required: true,
  content: { 'application/json': { schema } },
})

export const binaryBody = (mediaType: string): NonNullable<Operation['requestBody']> => ({
  required: true,
  content: { [mediaType]: { schema: { type: 'string', contentMediaType: mediaType } } },
})

/** Shared answers by status; what each says in general stands under components. */
export const failures = (...codes: number[]): Record<string, Answer> =>
  Object.fromEntries(
    codes.map((code) => [String(code), { $ref: `#/components/responses/${code}` } as never]),
  )

export const SIGNED_IN: Operation['security'] = [{ token: [] }]
/** GET also takes the cookie. */
export const SIGNED_IN_GET: Operation['security'] = [{ token: [] }, { cookie: [] }]
export const PUBLIC: Operation['security'] = []
export const SHARE: Operation['security'] = [{}, { sharePassword: [] }, { shareTicket: [] }]
