// Shorthands for writing schemas, parameters, bodies and answers.
import type { Answer, Answers, Content, Header, Parameter, RequestBody, Schema } from './types.ts'

function described(schema: Schema, description: string | undefined): Schema {
  return description === undefined ? schema : { ...schema, description }
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const text = (description?: string): Schema => described({ type: 'string' }, description)
export const flag = (description?: string): Schema => described({ type: 'boolean' }, description)
export const integer = (description?: string): Schema =>
  described({ type: 'integer', minimum: 0 }, description)
export const time = (description?: string): Schema =>
  described({ type: 'string', format: 'date-time' }, description)
export const list = (items: Schema, description?: string): Schema =>
  described({ type: 'array', items }, description)
export const map = (values: Schema, description: string): Schema =>
  described({ type: 'object', additionalProperties: values }, description)
export const choice = (values: string[], description?: string): Schema =>
  described({ type: 'string', enum: values }, description)

/** The same, or null. */
export const orNull = (schema: Schema): Schema => ({ ...schema, type: [`${schema.type}`, 'null'] })

/** An object whose properties are required, except those written with a `?` behind the name. */
export function object(properties: Record<string, Schema>, description?: string): Schema {
  const entries = Object.entries(properties)
  return described(
    {
      type: 'object',
      properties: Object.fromEntries(
        entries.map(([key, schema]) => [key.replace('?', ''), schema]),
      ),
      required: Object.keys(properties).filter((key) => !key.endsWith('?')),
    },
    description,
  )
}

export const query = (name: string, description: string, schema: Schema = text()): Parameter => {
  return { name, in: 'query', description, schema }
}
export const header = (name: string, description: string, schema: Schema = text()): Parameter => {
  return { name, in: 'header', description, schema }
}
export const inPath = (name: string, description: string, schema: Schema = text()): Parameter => {
  return { name, in: 'path', required: true, description, schema }
}
/** Makes a query or a header required. */
export const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true })

/** A header of an answer. */
export const sends = (description: string, schema: Schema = text()): Header => {
  return { description, schema }
}

const jsonOf = (schema: Schema): Content => ({ 'application/json': { schema } })
export const bytesOf = (mediaType: string): Content => {
  return { [mediaType]: { schema: { type: 'string', contentMediaType: mediaType } } }
}

export const jsonBody = (schema: Schema): RequestBody => {
  return { required: true, content: jsonOf(schema) }
}
export const bytesBody = (mediaType = 'application/octet-stream'): RequestBody => {
  return { required: true, content: bytesOf(mediaType) }
}

export const json = (schema: Schema): Answer => {
  return { description: 'The answer.', content: jsonOf(schema) }
}
export const plain = (description: string, schema: Schema): Answer => {
  return { description, content: { 'text/plain': { schema } } }
}
/** An answer without a body. */
export const empty = (description: string, headers?: Record<string, Header>): Answer => {
  return { description, ...(headers ? { headers } : {}) }
}
/** An answer of nothing but its status line, such as `200 OK`. */
export const status = (description: string, headers?: Record<string, Header>): Answer => {
  return { ...empty(description, headers), ...plain(description, ref('StatusLine')) }
}

/** Shared answers by status; what each says stands under `components.responses`. */
export const failures = (...codes: number[]): Answers =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/responses/${code}` }]))

/** The answers of everything that sends a file: whole, a range of it, or nothing new. */
export function fileAnswers(whole: string, part: string, mediaType?: string): Answers {
  const content = bytesOf(mediaType ?? 'application/octet-stream')
  return {
    200: { description: whole, content },
    206: { description: part, content },
    304: empty('Not changed.'),
    ...failures(400, 403, 404, 412, 416),
  }
}
