// What the browser knows of the way to the server.

/** True when the person asked for few bytes: nothing is fetched that may not be wanted. */
export function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}
