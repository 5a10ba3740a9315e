/**
 * A database of this browser, with its stores made by `create`. Null where the browser refuses storage, as
 * in some private windows. `onClosed` hears when it is closed from outside.
 */
export function openDatabase(
  name: string,
  create: (database: IDBDatabase) => void,
  onClosed: () => void = () => {},
): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.open(name, 1)
      request.onupgradeneeded = () => create(request.result)
      request.onsuccess = () => {
        request.result.onclose = onClosed
        resolve(request.result)
      }
      request.onerror = request.onblocked = () => resolve(null)
    } catch {
      resolve(null) // a SecurityError is thrown at once where storage is off
    }
  })
}
