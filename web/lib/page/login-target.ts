// The address a login leads to.

/** Where to go after signing in: only addresses of this interface, never another site. */
export function targetOf(query: URLSearchParams): string {
  const wanted = query.get('redirect') ?? ''
  const local = wanted.startsWith('/') && !/^\/[/\\]/.test(wanted)
  return local && !wanted.startsWith('/login') ? wanted : '/files/'
}
