// The OpenAPI document as a page to read: plain HTML without a script, one section per call.
import { escapeHtml as esc } from '../lib/escape-html.ts'
import type { OpenApi } from './document.ts'
import { PAGE_STYLE } from './page-style.ts'
import type { Answers, Content, Method, Operation, Parameter, Schema } from './types.ts'

interface Call {
  method: Method
  path: string
  operation: Operation
}

/** Renders the whole page. `nonce` admits its style sheet under the policy it is sent with. */
export function renderApiPage(document: OpenApi, nonce: string): string {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Call => {
      return { method: method as Method, path, operation: operation as Operation }
    }),
  )
  const groups = document.tags.map((tag) => ({
    tag,
    calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const { title, version, description } = document.info
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<meta name="color-scheme" content="light dark">
<title>${esc(title)}: HTTP API</title>
<style nonce="${esc(nonce)}">${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<h1>${esc(title)} <span>HTTP API ${esc(version)}</span></h1>
<a class="download" href="../api/openapi.json" download="openapi.json">OpenAPI document</a>
</header>
<div class="columns">
<nav aria-label="Calls">
<details>
<summary>Calls</summary>
${groups.map(({ tag, calls }) => renderNavigation(tag.name, calls)).join('\n')}
<h2><a href="#schemas">Values</a></h2>
</details>
</nav>
<main id="main">
<section class="intro">${paragraphs(description)}</section>
${groups.map(({ tag, calls }) => renderGroup(tag, calls, document)).join('\n')}
<section id="schemas">
<h2>Values</h2>
${Object.entries(document.components.schemas)
  .map(([name, schema]) => renderSchema(name, schema))
  .join('\n')}
</section>
</main>
</div>
</body>
</html>
`
}

function renderNavigation(tag: string, calls: Call[]): string {
  const items = calls.map(
    ({ method, path, operation }) =>
      `<li><a href="#${esc(operation.operationId)}"><b class="${method}">${method}</b> ${breakable(path)}</a></li>`,
  )
  return `<h2>${esc(tag)}</h2>\n<ul>${items.join('')}</ul>`
}

function renderGroup(
  tag: { name: string; description: string },
  calls: Call[],
  document: OpenApi,
): string {
  return `<section>
<h2>${esc(tag.name)}</h2>
<p class="lead">${inline(tag.description)}</p>
${calls.map((call) => renderCall(call, document)).join('\n')}
</section>`
}

function renderCall({ method, path, operation }: Call, document: OpenApi): string {
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const parts = [
    `<h3><a href="#${esc(operationId)}"><b class="${method}">${method}</b> <code>${breakable(path)}</code></a></h3>`,
    `<p class="summary">${inline(summary)}</p>`,
    description ? paragraphs(description) : '',
    `<p class="access">${accessOf(operation)}</p>`,
    parameters.length > 0 ? renderParameters(parameters) : '',
    requestBody ? `<h4>Body</h4>${renderContent(requestBody.content)}` : '',
    `<h4>Answers</h4>${renderAnswers(operation.responses, document)}`,
    `<pre tabindex="0">${code(curlOf({ method, path, operation }))}</pre>`,
  ]
  return `<article id="${esc(operationId)}">\n${parts.filter(Boolean).join('\n')}\n</article>`
}

function accessOf({ security }: Operation): string {
  const kinds = security.flatMap((choice) => Object.keys(choice))
  if (kinds.includes('sharePassword'))
    return 'For visitors of a share, with its password if it has one'
  if (kinds.includes('cookie')) return 'Signed in, by token or cookie'
  return kinds.length > 0 ? 'Signed in, by token' : 'For everybody'
}

function renderParameters(parameters: Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) =>
    row(code(name), place + (required ? ', required' : ''), typeOf(schema), inline(description)),
  )
  return `<h4>Parameters</h4>${table(rows)}`
}

function renderAnswers(answers: Answers, document: OpenApi): string {
  const rows = Object.entries(answers).map(([status, answer]) => {
    if ('$ref' in answer)
      return row(code(status), inline(document.components.responses[status]?.description ?? ''), '')
    const { description, headers = {}, content = {} } = answer
    const extras = Object.entries(headers).map(
      ([name, header]) => `<br>${code(name)}: ${inline(header.description ?? '')}`,
    )
    return row(code(status), inline(description) + extras.join(''), renderContent(content))
  })
  return table(rows)
}

function renderContent(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `${code(type)} ${typeOf(schema)}`)
    .join('<br>')
}

function renderSchema(name: string, schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const optional = !schema.required?.includes(key)
    const title = code(key) + (optional ? '<span class="optional">may be absent</span>' : '')
    return row(title, typeOf(property), inline(property.description ?? ''))
  })
  const facts = rows.length > 0 ? table(rows) : `<p>${typeOf(schema)}</p>`
  const description = schema.description ? `<p>${inline(schema.description)}</p>` : ''
  return `<article id="schema-${esc(name)}"><h3><a href="#schema-${esc(name)}">${esc(name)}</a></h3>${description}${facts}</article>`
}

function table(rows: string[]): string {
  return `<div class="scroll"><table>${rows.join('')}</table></div>`
}

/** A row of a table; its cells are HTML, the first one is its heading. */
function row(title: string, ...cells: string[]): string {
  const data = cells.map((cell) => `<td>${cell}</td>`).join('')
  return `<tr><th scope="row">${title}</th>${data}</tr>`
}

function code(text: string): string {
  return `<code>${esc(text)}</code>`
}

/** What a value is, in words, with a link where it is described elsewhere. */
function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = esc(schema.$ref.split('/').at(-1) ?? '')
    return `<a href="#schema-${name}">${name}</a>`
  }
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(' ')
  if (schema.type === 'array' && schema.items) return `list of ${typeOf(schema.items)}`
  if (schema.properties) {
    const fields = Object.entries(schema.properties)
    return `{ ${fields.map(([name, field]) => `${code(name)} ${typeOf(field)}`).join(', ')} }`
  }
  if (typeof schema.additionalProperties === 'object')
    return `map to ${typeOf(schema.additionalProperties)}`
  if (schema.format === 'date-time') return 'time, RFC 3339'
  return esc(String(schema.type ?? 'anything'))
}

function curlOf({ method, path, operation }: Call): string {
  const address = path.replace('{path}', 'folder/file.txt').replace('{size}', 'thumb')
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${schema.enum?.[0] ?? '…'}`)
  const url = address + (query.length > 0 ? `?${query.join('&')}` : '')
  const words = ['curl']
  if (method === 'head') words.push('--head')
  else if (method !== 'get') words.push('-X', method.toUpperCase())
  if (operation.security.some((choice) => 'token' in choice)) words.push('-H "X-Auth: $TOKEN"')
  for (const parameter of operation.parameters ?? [])
    if (parameter.in === 'header' && parameter.required) words.push(`-H '${parameter.name}: 0'`)
  const bodyType = Object.keys(operation.requestBody?.content ?? {})[0]
  if (bodyType === 'application/json') words.push("-d '{…}'")
  else if (bodyType) words.push(`-H 'Content-Type: ${bodyType}' --data-binary @file.txt`)
  return [...words, `"$SERVER${url}"`].join(' ')
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((part) => `<p>${inline(part)}</p>`)
    .join('')
}

/** Text in which only backticks have a meaning. */
function inline(text: string): string {
  return esc(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

/** A path that may be broken behind its slashes. */
function breakable(path: string): string {
  return esc(path).replaceAll('/', '/<wbr>')
}
