import { useEffect } from 'react'
import { instanceName } from '../boot.ts'

/** Shows the parts, most specific first, followed by the name of the instance. */
export function useTitle(...parts: string[]): void {
  const title = [...parts.filter(Boolean), instanceName].join(' - ')
  useEffect(() => {
    document.title = title
  }, [title])
}
