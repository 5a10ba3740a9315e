// Headers by which clients say what they prefer (RFC 9110 12.4.2).

interface Preference {
  /** In lower case. */
  name: string
  /** 0 refuses. */
  quality: number
}

/** The items of an Accept-Encoding or Accept-Language header, in their order. */
export function parsePreferences(header: string): Preference[] {
  return header
    .toLowerCase()
    .split(',')
    .map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return { name, quality: q ? Number.parseFloat(q.slice(2)) || 0 : 1 }
    })
    .filter(({ name }) => name !== '')
}
