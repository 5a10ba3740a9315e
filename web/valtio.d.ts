import 'valtio'

declare module 'valtio' {
  /** Snapshots are frozen; the type is that of the state, so that they go where the state goes. */
  function useSnapshot<T extends object>(state: T, options?: { sync?: boolean }): T
}
