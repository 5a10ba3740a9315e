import { afterAll } from 'vitest'

// happy-dom loads no style sheets and says nothing of it, while modules wait until theirs are there.
new MutationObserver((records) => {
  for (const { addedNodes } of records)
    for (const node of addedNodes)
      if (node instanceof HTMLLinkElement) node.dispatchEvent(new Event('load'))
}).observe(document.head, { childList: true })

// What a page asks for after the end of its test finds no server: a refusal would tell the next one that it is offline.
globalThis.fetch = () => new Promise(() => {})

// A page's timers end with it: of Node's own, one that is left over would find no document after the last test.
const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
const page = document.defaultView as Window & typeof globalThis
Object.assign(globalThis, {
  setTimeout: page.setTimeout.bind(page),
  clearTimeout: page.clearTimeout.bind(page),
  setInterval: page.setInterval.bind(page),
  clearInterval: page.clearInterval.bind(page),
})
afterAll(() => {
  Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval })
})
