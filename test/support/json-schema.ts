// As much of JSON Schema as the OpenAPI document uses; complains about what it does not know.
import type { OpenApi } from '../../src/openapi/document.ts'
import type { Schema } from '../../src/openapi/types.ts'

const KNOWN = new Set([
  ...['$ref', 'type', 'description', 'properties', 'required', 'additionalProperties', 'items'],
  ...['enum', 'format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'default'],
  ...['examples', 'anyOf', 'contentMediaType'],
])

/** What is wrong with a value, each with its place; empty when it fits. Unknown keys are wrong. */
export function findProblems(
  document: OpenApi,
  schema: Schema,
  value: unknown,
  place = '$',
): string[] {
  for (const key of Object.keys(schema))
    if (!KNOWN.has(key)) return [`${place}: the schema says ${key}, which the test does not know`]
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    const target = document.components.schemas[name]
    return target ? findProblems(document, target, value, place) : [`${place}: no schema ${name}`]
  }
  if (schema.anyOf) {
    const tries = schema.anyOf.map((choice) => findProblems(document, choice, value, place))
    return tries.some((problems) => problems.length === 0) ? [] : (tries[0] ?? [])
  }
  const problems: string[] = []
  const wrong = (what: string) => problems.push(`${place}: ${what}, not ${JSON.stringify(value)}`)
  if (schema.enum && !schema.enum.includes(value as never)) wrong(`one of ${schema.enum.join()}`)
  if (schema.type && ![schema.type].flat().includes(typeName(value, schema)))
    wrong(`${schema.type}`)
  if (typeof value === 'string') {
    if (schema.pattern && !new RegExp(schema.pattern).test(value)) wrong(`like ${schema.pattern}`)
    if (schema.format === 'date-time' && Number.isNaN(Date.parse(value))) wrong('a time')
  }
  if (typeof value === 'number' && value < (schema.minimum ?? -Infinity)) wrong('less')
  if (Array.isArray(value) && schema.items)
    for (const [i, item] of value.entries())
      problems.push(...findProblems(document, schema.items, item, `${place}[${i}]`))
  if (typeName(value, schema) === 'object' && schema.type === 'object')
    problems.push(...objectProblems(document, schema, value as Record<string, unknown>, place))
  return problems
}

function objectProblems(
  document: OpenApi,
  schema: Schema,
  value: Record<string, unknown>,
  place: string,
): string[] {
  const problems = (schema.required ?? [])
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => `${place}: ${key} is missing`)
  for (const [key, item] of Object.entries(value)) {
    const known = schema.properties?.[key]
    const other = typeof schema.additionalProperties === 'object' && schema.additionalProperties
    if (known || other)
      problems.push(...findProblems(document, known ?? (other as Schema), item, `${place}.${key}`))
    else if (schema.properties) problems.push(`${place}: ${key} is not described`)
  }
  return problems
}

function typeName(value: unknown, schema: Schema): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value) && [schema.type].flat().includes('integer')) return 'integer'
  return typeof value
}
