/** Counts turns of the event loop, which others have, until the result is called; it gives how many there were. */
export function countTurns(): () => number {
  let turns = 0
  let next = setImmediate(function again() {
    turns++
    next = setImmediate(again)
  })
  return () => {
    clearImmediate(next)
    return turns
  }
}
