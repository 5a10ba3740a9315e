// What a program prints, line by line.

/** Gives each line to `send` when it is complete, the last one at the end; of a long one the beginning. */
export function createLines(send: (line: string) => void, maxChars = Number.POSITIVE_INFINITY) {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    add: (chunk: Buffer): void => {
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
      rest = (rest + first).slice(0, maxChars)
      for (const text of others) {
        send(rest.replace(/\r$/, ''))
        rest = text.slice(0, maxChars)
      }
    },
    end: (): void => {
      if (rest !== '') send(rest)
    },
  }
}
