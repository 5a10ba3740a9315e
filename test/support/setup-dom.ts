// happy-dom loads no style sheets and says nothing of it, while modules wait until theirs are there.
new MutationObserver((records) => {
  for (const { addedNodes } of records)
    for (const node of addedNodes)
      if (node instanceof HTMLLinkElement) node.dispatchEvent(new Event('load'))
}).observe(document.head, { childList: true })

// What a page asks for after the end of its test finds no server: a refusal would tell the next one that it is offline.
globalThis.fetch = () => new Promise(() => {})
