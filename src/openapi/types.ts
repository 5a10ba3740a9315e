// The small part of OpenAPI 3.1 that the document uses.
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

/** Schemas by media type. */
export type Content = Record<string, { schema: Schema }>

export interface Answer {
  description: string
  headers?: Record<string, Header>
  content?: Content
}

export interface RequestBody {
  required: boolean
  content: Content
}

/** Answers by status; a reference names one of `components.responses`. */
export type Answers = Record<string, Answer | { $ref: string }>

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: RequestBody
  responses: Answers
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head'
export type Paths = Record<string, { [M in Method]?: Operation }>
