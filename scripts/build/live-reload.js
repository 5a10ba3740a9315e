// Part of the bundle in development only: reloads the page once other files belong to it.

const EVERY_MS = 1000

/** Scripts and styles that the page names, by their hashed addresses; null while nothing answers. */
async function filesOfThePage() {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => null)
  if (answer?.ok !== true) return null
  return (await answer.text()).match(/static\/[\w-]+\.(?:js|css)/g)?.join(' ') ?? null
}

let loaded = null

async function look() {
  const now = await filesOfThePage()
  loaded ??= now
  if (now === loaded || now === null) setTimeout(look, EVERY_MS)
  else location.reload()
}

void look()
